// SPDX-License-Identifier: Apache-2.0
#include "simulator/described_cluster.h"

#include "simulator/missing_objects.h"
#include "simulator/pod_priority.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::simulator {

using framework::PodInfoPtr;
using runtime::Profile;

namespace {

// The latest moment any object mentions.
Timestamp LatestMoment(const api::Manifests& manifests) {
  Timestamp latest{};
  const auto see = [&](const std::optional<Timestamp>& moment) {
    if (moment) latest = std::max(latest, *moment);
  };
  for (const api::Manifest& manifest : manifests.objects) {
    const api::ObjectMeta& meta = api::MetaOf(manifest.object);
    see(meta.created);
    see(meta.deleted);
    if (const auto* pod = std::get_if<api::PodPtr>(&manifest.object)) see((*pod)->status->start_time);
  }
  return latest;
}

bool ComesBefore(const PodInfoPtr& a, const PodInfoPtr& b) {
  const api::ObjectMeta& left = a->pod->meta;
  const api::ObjectMeta& right = b->pod->meta;
  return std::tie(left.namespace_, left.name) < std::tie(right.namespace_, right.name);
}

}  // namespace

Result<std::unique_ptr<DescribedCluster>> DescribedCluster::Make(const api::Manifests& manifests,
                                                                 std::vector<config::ProfilePlan> plans,
                                                                 const framework::Registry& registry,
                                                                 const log::Logger& log) {
  std::unique_ptr<DescribedCluster> described(new DescribedCluster(registry));
  if (!plans.empty()) described->rules_ = framework::PodRules::From(plans.front().features);
  described->clock_ = ManualClock(LatestMoment(manifests));
  BERTH_RETURN_IF_ERROR(described->BuildProfiles(std::move(plans), log));
  described->Load(manifests);
  return described;
}

Result<void> DescribedCluster::BuildProfiles(std::vector<config::ProfilePlan> plans, const log::Logger& log) {
  runtime::Services services;
  services.cluster = &cluster_;
  services.lister = &cluster_.objects();
  services.resource_names = &names_;
  services.nominator = &nominations_;
  services.waiting_pods = &waiting_;
  services.evictor = &writer_;
  services.events = &writer_;
  services.clock = &clock_;
  services.log = log.Named("plugins");
  for (config::ProfilePlan& plan : plans) {
    BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Profile> profile, Profile::Build(std::move(plan), *registry_, services));
    profiles_.push_back(std::move(profile));
  }
  return {};
}

Profile* DescribedCluster::ProfileFor(std::string_view scheduler_name) const {
  for (const auto& profile : profiles_) {
    if (profile->profile_name() == scheduler_name) return profile.get();
  }
  return nullptr;
}

void DescribedCluster::Load(const api::Manifests& manifests) {
  std::vector<api::NodePtr> nodes;
  std::vector<api::PodPtr> pods;
  for (const api::Manifest& manifest : manifests.objects) {
    if (const auto* node = std::get_if<api::NodePtr>(&manifest.object)) {
      nodes.push_back(*node);
    } else if (const auto* pod = std::get_if<api::PodPtr>(&manifest.object)) {
      pods.push_back(*pod);
    } else {
      cluster_.SetObject(manifest.object);
    }
  }
  // By name, as an API server lists them: the first node that has an image tells its size.
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a->meta.name < b->meta.name; });
  for (const api::NodePtr& node : nodes) cluster_.SetNode(node);
  // Pods come last: their priorities need the classes.
  for (const api::PodPtr& pod : pods) Take(pod);
  std::sort(running_.begin(), running_.end(), ComesBefore);
  for (const PodInfoPtr& pod : running_) cluster_.PlacePod(pod, (*pod)->node_name);

  std::vector<PodInfoPtr> all = running_;
  for (const framework::QueuedPodInfo& pod : pending_) all.push_back(pod.pod);
  for (std::string& sentence : MissingObjects(cluster_, all)) warnings_.push_back(std::move(sentence));
}

// The pod with what an API server would have added: a uid and a priority.
api::PodPtr DescribedCluster::Completed(const api::PodPtr& pod) {
  std::string warning;
  api::PodPtr completed = WithPriority(pod, cluster_.objects(), warning);
  if (!warning.empty()) warnings_.push_back(std::move(warning));
  const bool taken = !pod->meta.uid.empty() && !uids_.insert(pod->meta.uid).second;
  if (taken) {
    warnings_.push_back(fmt::format("pod {} has uid {}, which another pod has, too: it gets one of its own",
                                    pod->meta.Key(), pod->meta.uid));
  }
  if (!pod->meta.uid.empty() && !taken) return completed;
  auto copy = std::make_shared<api::Pod>(*completed);
  copy->meta.uid = copy->meta.Key();
  while (!uids_.insert(copy->meta.uid).second) copy->meta.uid += '+';
  return copy;
}

void DescribedCluster::Take(const api::PodPtr& pod) {
  if (pod->is_finished()) {
    ignored_.push_back({pod->meta.Key(), fmt::format("finished ({})", pod->status->phase)});
    return;
  }
  const PodInfoPtr info = framework::MakePodInfo(Completed(pod), names_, rules_);
  if (!pod->node_name.empty()) {
    running_.push_back(info);
    return;
  }
  const std::string& scheduler = pod->spec->scheduler_name;
  if (ProfileFor(scheduler) == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& profile : profiles_) known.push_back(profile->profile_name());
    ignored_.push_back(
        {pod->meta.Key(), fmt::format("scheduler {} is none of the profiles ({})", scheduler, fmt::join(known, ", "))});
    return;
  }
  if (pod->is_terminating()) {
    ignored_.push_back({pod->meta.Key(), "being deleted"});
    return;
  }
  if (!pod->status->nominated_node_name.empty()) nominations_.Add(info, pod->status->nominated_node_name);
  pending_.push_back({info, pod->meta.created.value_or(clock_.Now()), 0});
}

}  // namespace berth::simulator
