// SPDX-License-Identifier: Apache-2.0
// What must always hold between two messages, whatever happened. Looks at everything, so it is for tests and audits.
#include "scheduler/invariants.h"

#include "framework/node_info.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::NodeInfo;
using framework::PodInfo;
using framework::PodUid;
using framework::ResourceAmounts;
using framework::ResourceId;

namespace {

struct Placement {
  std::string_view node;
  uint64_t cluster_revision = 0;  // of the cluster it was decided on
};

// The pods of one node that this engine placed there.
struct OwnPods {
  ResourceAmounts requests;
  int64_t count = 0;
  const PodInfo* latest = nullptr;
  uint64_t latest_revision = 0;  // of the cluster when the latest was decided
};

// For each node, when it was last set, as far back as `since`; false when the journal does not reach so far back.
bool LastSet(const cluster::Journal& journal, uint64_t since, std::map<std::string, uint64_t, std::less<>>& last_set) {
  return journal.Since(since, [&](const cluster::Change& change) {
    if (const auto* set = std::get_if<cluster::NodeSet>(&change.what)) last_set[set->node->meta.name] = change.revision;
  });
}

// The resource of which the pods request more than the node has; "" when there is none. Checks only resources that the
// latest pod requests: Filter looked at no others when it was placed.
std::string Overfilled(const NodeInfo& node, const OwnPods& own, const framework::ResourceNames& names) {
  if (own.count > node.allowed_pods) return "pods";
  const ResourceAmounts& latest = own.latest->traits->requests;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto id = static_cast<ResourceId>(i);
    if (latest.Get(id) > 0 && own.requests.Get(id) > node.allocatable.Get(id)) return names.Name(id);
  }
  return "";
}

// A pod is in exactly one place.
std::string CheckPlaces(const EngineState& engine, const Attempts& attempts, size_t held) {
  std::string wrong;
  size_t waiting = 0;
  attempts.ForEach([&](const Attempt& attempt) {
    const std::string_view uid = PodUid(*attempt.pod->pod);
    const queue::Place place = engine.queue->PlaceOf(uid);
    const bool in_flight = attempt.progress.is(Stage::Permit);
    waiting += in_flight ? 1 : 0;
    if (place != (in_flight ? queue::Place::InFlight : queue::Place::None)) {
      wrong += fmt::format("{} is at {} and also queued\n", uid, StageName(attempt.progress.stage()));
    }
    const std::string_view counted = engine.cluster.NodeOf(uid);
    if (attempt.progress.is(Standing::Assumed) && counted != attempt.node_name()) {
      wrong += fmt::format("{} is assumed on {} and counted on '{}'\n", uid, attempt.node_name(), counted);
    }
    if (!attempt.progress.is(Standing::Assumed) && !attempt.progress.is(Standing::Assigned) && !counted.empty()) {
      wrong += fmt::format("{} is gone and counted on '{}'\n", uid, counted);
    }
  });
  if (engine.queue->sizes().in_flight != waiting + held || engine.waiting.size() != waiting) {
    wrong += fmt::format("{} pods wait at Permit, {} have an entry there, {} are in flight\n", waiting,
                         engine.waiting.size(), engine.queue->sizes().in_flight);
  }
  engine.queue->ForEach([&](const queue::QueuedPod& queued) {
    const std::string_view uid = PodUid(**queued.pod);
    if (engine.cluster.FindPod(uid) != nullptr) wrong += fmt::format("{} is queued and also on a node\n", uid);
    if (attempts.Find(uid) != nullptr) wrong += fmt::format("{} is queued and also on its way\n", uid);
  });
  return wrong;
}

// What is counted on a node is what its pods ask for.
std::string CheckSums(const EngineState& engine) {
  const cluster::ClusterState& cluster = engine.cluster;
  const framework::ResourceNames& names = engine.names;
  std::string wrong;
  cluster.live_nodes().ForEach([&](size_t id) {
    const NodeInfo& node = cluster.node(static_cast<framework::NodeId>(id));
    ResourceAmounts sum;
    for (const framework::PodInfoPtr& pod : node.pods) sum.Add(pod->traits->requests);
    for (size_t i = 0; i < names.size(); ++i) {
      const auto resource = static_cast<ResourceId>(i);
      if (sum.Get(resource) == node.requested.Get(resource)) continue;
      wrong += fmt::format("node {} counts {} of {}, its pods ask for {}\n", node.name(), node.requested.Get(resource),
                           names.Name(resource), sum.Get(resource));
    }
  });
  return wrong;
}

// The pods that this engine placed, as far as its log goes back, leave no node overfilled. A node that was changed
// after the last of them came is left out: somebody may have made it smaller.
std::string CheckOwnPlacements(const EngineState& engine, const DecisionLog& log) {
  const cluster::ClusterState& cluster = engine.cluster;
  std::map<std::string, Placement> placements;
  log.ForEach([&](const DecisionRecord& record) {
    if (record.outcome != Decision::Outcome::Placed) return;
    const framework::NodeId id = cluster.FindNode(record.node);
    if (id == framework::kNoNode) return;
    placements[record.uid] = {cluster.node(id).name(), record.cluster_revision};
  });
  std::map<std::string_view, OwnPods> nodes;
  for (const auto& [uid, placement] : placements) {
    const PodInfo* pod = cluster.FindPod(uid);
    if (pod == nullptr || cluster.NodeOf(uid) != placement.node) continue;
    OwnPods& own = nodes[placement.node];
    own.requests.Add(pod->traits->requests);
    ++own.count;
    if (own.latest != nullptr && own.latest_revision > placement.cluster_revision) continue;
    own.latest = pod;
    own.latest_revision = placement.cluster_revision;
  }
  std::vector<uint64_t> revisions;
  revisions.reserve(nodes.size());
  for (const auto& [name, own] : nodes) revisions.push_back(own.latest_revision);
  std::ranges::sort(revisions);
  std::map<std::string, uint64_t, std::less<>> last_set;
  const auto oldest = std::ranges::find_if(
      revisions, [&](uint64_t revision) { return LastSet(cluster.journal(), revision, last_set); });
  if (oldest == revisions.end()) return "";
  std::string wrong;
  for (const auto& [name, own] : nodes) {
    const auto set = last_set.find(name);
    if (own.latest_revision < *oldest || (set != last_set.end() && set->second > own.latest_revision)) continue;
    const std::string resource = Overfilled(cluster.node(cluster.FindNode(name)), own, engine.names);
    if (!resource.empty()) wrong += fmt::format("node {} was given more pods than its {} allows\n", name, resource);
  }
  return wrong;
}

}  // namespace

std::string CheckInvariants(const EngineState& engine, const Attempts& attempts, size_t held, const DecisionLog& log) {
  return CheckPlaces(engine, attempts, held) + CheckSums(engine) + CheckOwnPlacements(engine, log);
}

}  // namespace berth::scheduler
