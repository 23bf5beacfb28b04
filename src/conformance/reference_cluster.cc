// SPDX-License-Identifier: Apache-2.0
#include "conformance/reference_cluster.h"

#include "base/check.h"
#include "conformance/case_cluster.h"
#include "conformance/evaluate_hints.h"
#include "conformance/reference_evaluate.h"
#include "conformance/reference_plugins.h"
#include "framework/silent_roles.h"
#include "scheduler/queue_profiles.h"

#include <algorithm>

namespace berth::conformance {

// A cluster built to answer one question.
struct ReferenceCluster::Afresh {
  explicit Afresh(const Clock& clock) : cluster(names), waiting(clock) {}

  framework::ResourceNames names;
  cluster::ClusterState cluster;
  queue::NominatedPods nominated;
  runtime::WaitingPodTable waiting;
  framework::SilentRoles silent;
  std::unique_ptr<runtime::Profile> profile;
};

Result<std::unique_ptr<ReferenceCluster>> ReferenceCluster::Make(const api::Value* config,
                                                                 const framework::Registry& registry,
                                                                 const Clock& clock) {
  BERTH_ASSIGN_OR_RETURN(std::vector<config::ProfilePlan> plans, PlansFor(config, registry));
  return std::unique_ptr<ReferenceCluster>(new ReferenceCluster(std::move(plans.front()), registry, clock));
}

ReferenceCluster::ReferenceCluster(config::ProfilePlan plan, const framework::Registry& registry, const Clock& clock)
    : plan_(std::move(plan)), clock_(clock), registry_(PlainRegistry(registry, images_)) {}

void ReferenceCluster::Set(const api::Object& object) {
  if (const auto* node = std::get_if<api::NodePtr>(&object)) {
    nodes_[(*node)->meta.name] = *node;
    images_.SetNode(**node);
  } else if (const auto* pod = std::get_if<api::PodPtr>(&object)) {
    SetPod(*pod);
  } else {
    objects_.insert_or_assign({std::string(api::KindOf(object)), api::MetaOf(object).Key()}, object);
  }
}

void ReferenceCluster::Remove(const api::Object& object) {
  if (const auto* node = std::get_if<api::NodePtr>(&object)) {
    nodes_.erase((*node)->meta.name);
    images_.RemoveNode((*node)->meta.name);
  } else if (const auto* pod = std::get_if<api::PodPtr>(&object)) {
    RemovePod((*pod)->meta.Key());
  } else {
    objects_.erase({std::string(api::KindOf(object)), api::MetaOf(object).Key()});
  }
}

void ReferenceCluster::SetPod(const api::PodPtr& pod) {
  RemovePod(pod->meta.Key());
  if (!pod->node_name.empty()) {
    pods_of_node_[pod->node_name].push_back(pod);
    images_.Touch(pod->node_name);
  } else if (!pod->status->nominated_node_name.empty()) {
    nominated_.push_back(pod);
  }
}

void ReferenceCluster::RemovePod(const std::string& key) {
  const auto is_it = [&](const api::PodPtr& pod) { return pod->meta.Key() == key; };
  std::erase_if(nominated_, is_it);
  for (auto& [node, pods] : pods_of_node_) {
    const auto it = std::ranges::find_if(pods, is_it);
    if (it == pods.end()) continue;
    *it = pods.back();
    pods.pop_back();
    images_.Touch(node);
  }
}

std::unique_ptr<ReferenceCluster::Afresh> ReferenceCluster::MakeAfresh() const {
  auto afresh = std::make_unique<Afresh>(clock_);
  for (const auto& [key, object] : objects_) afresh->cluster.SetObject(object);
  for (const auto& [name, node] : nodes_) afresh->cluster.SetNode(node);
  for (const auto& [node, pods] : pods_of_node_) {
    for (const api::PodPtr& pod : pods) {
      afresh->cluster.PlacePod(framework::MakePodInfo(pod, afresh->names), node);
    }
  }
  for (const api::PodPtr& pod : nominated_) {
    afresh->nominated.Add(framework::MakePodInfo(pod, afresh->names), pod->status->nominated_node_name);
  }
  runtime::Services services;
  services.cluster = &afresh->cluster;
  services.lister = &afresh->cluster.objects();
  services.resource_names = &afresh->names;
  services.nominator = &afresh->nominated;
  services.waiting_pods = &afresh->waiting;
  services.evictor = &afresh->silent;
  services.events = &afresh->silent;
  services.clock = &clock_;
  Result<std::unique_ptr<runtime::Profile>> profile = runtime::Profile::Build(plan_, registry_, services);
  BERTH_CHECK(profile.has_value());
  afresh->profile = std::move(*profile);
  return afresh;
}

api::Value ReferenceCluster::Judge(const api::PodPtr& pod) const {
  const std::unique_ptr<Afresh> afresh = MakeAfresh();
  return EvaluateNaively(*afresh->profile, *framework::MakePodInfo(pod, afresh->names));
}

api::Value ReferenceCluster::Hints(const std::vector<api::PodPtr>& waiting, const api::Object* before,
                                   const api::Object* after) const {
  const std::unique_ptr<Afresh> afresh = MakeAfresh();
  const queue::QueueProfile profile = scheduler::QueueProfileOf(*afresh->profile);
  api::Value hints = api::Value::Map();
  for (const api::PodPtr& pod : waiting) {
    const framework::PodInfoPtr info = framework::MakePodInfo(pod, afresh->names);
    hints.Set(pod->meta.Key(), EvaluateHints(profile, *info, before, after));
  }
  return hints;
}

}  // namespace berth::conformance
