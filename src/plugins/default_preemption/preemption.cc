// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/preemption.h"

#include <algorithm>

namespace berth::plugins {

using framework::ClusterView;
using framework::Code;
using framework::CycleState;
using framework::Handle;
using framework::kNoNode;
using framework::NodeId;
using framework::PodInfo;
using framework::Status;
using framework::Verdicts;

namespace {

const std::string kNotHelpful = "Preemption is not helpful for scheduling";

bool IsLeavingByPreemption(const api::Pod& pod) {
  if (!pod.is_terminating()) return false;
  const api::Condition* target = pod.FindCondition("DisruptionTarget");
  return target != nullptr && target->status == "True" && target->reason == "PreemptionByScheduler";
}

bool IsMendable(const Verdicts& verdicts, NodeId node) { return verdicts.Of(node).code() == Code::Unschedulable; }

}  // namespace

std::string PreemptionForbidden(const ClusterView& cluster, const PodInfo& pod, const Verdicts& verdicts) {
  if (pod.spec().preemption_policy == "Never") return "not eligible due to preemptionPolicy=Never.";
  const std::string& nominated = pod->status->nominated_node_name;
  if (nominated.empty()) return {};
  const NodeId id = cluster.FindNode(nominated);
  // Where the promise cannot be kept, a new one may be made; elsewhere the pod waits for its victims to be gone.
  if (id == kNoNode || verdicts.Of(id).code() == Code::UnschedulableAndUnresolvable) return {};
  for (const auto& other : cluster.node(id).pods) {
    if (other->pod->priority() < pod->priority() && IsLeavingByPreemption(*other->pod)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return {};
}

size_t CountMendableNodes(const Verdicts& verdicts) {
  const std::vector<size_t>& counts = verdicts.Counts();
  size_t mendable = 0;
  for (size_t id = 1; id < counts.size(); ++id) {
    if (verdicts.table()[id].code() == Code::Unschedulable) mendable += counts[id];
  }
  return mendable;
}

PreemptionSearch FindCandidates(Handle& handle, const CycleState& state, const PodInfo& pod, const Verdicts& verdicts,
                                size_t start, size_t wanted) {
  const ClusterView& cluster = handle.cluster();
  std::vector<NodeId> mendable;
  if (CountMendableNodes(verdicts) == 0) return {{}, {{kNotHelpful, cluster.node_count()}}, {}};
  cluster.live_nodes().ForEach([&](size_t id) {
    if (IsMendable(verdicts, static_cast<NodeId>(id))) mendable.push_back(static_cast<NodeId>(id));
  });
  const std::vector<const api::PodDisruptionBudget*> budgets = handle.lister().PodDisruptionBudgets();
  const Timestamp now = handle.clock().Now();

  PreemptionSearch search;
  std::vector<PreemptionCandidate> violating;
  size_t judged = 0;
  size_t without_victims = 0;
  for (size_t i = 0; i < mendable.size(); ++i, ++judged) {
    const size_t found = search.candidates.size() + violating.size();
    if (wanted != 0 && !search.candidates.empty() && found >= wanted) break;
    const NodeId id = mendable[(start + i) % mendable.size()];
    // Most nodes hold nobody less important: seen in a column, without touching the node.
    if (cluster.lowest_priority()[id] >= pod->priority()) {
      ++without_victims;
      continue;
    }
    CycleState clone = state.Clone();
    PreemptionCandidate candidate;
    Status status = SelectVictims(handle.plugin_runner(), clone, pod, cluster.node(id), budgets, now, candidate);
    if (status.ok()) {
      (candidate.pdb_violations == 0 ? search.candidates : violating).push_back(std::move(candidate));
      continue;
    }
    if (status.code() == Code::Error && search.error.ok()) search.error = status;
    for (const std::string& reason : status.reasons()) ++search.reasons[reason];
  }
  if (without_victims != 0) search.reasons["No preemption victims found for incoming pod"] += without_victims;
  const size_t elsewhere = cluster.node_count() - judged;
  if (elsewhere != 0) search.reasons[kNotHelpful] += elsewhere;
  search.candidates.insert(search.candidates.end(), std::make_move_iterator(violating.begin()),
                           std::make_move_iterator(violating.end()));
  return search;
}

}  // namespace berth::plugins
