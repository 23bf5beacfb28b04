// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/check_cluster.h"

#include <utility>
#include <variant>

namespace berth::plugin_check {

using framework::PodInfo;
using framework::PodInfoPtr;

config::ProfilePlan OnlyPlugin(config::ProfilePlan plan, std::string_view plugin) {
  for (std::vector<config::PlannedPlugin>& point : plan.points) {
    std::erase_if(point, [&](const config::PlannedPlugin& planned) { return planned.name != plugin; });
  }
  return plan;
}

void CheckCluster::Add(const api::Object& object) {
  if (const auto* node = std::get_if<api::NodePtr>(&object)) {
    cluster_.SetNode(*node);
  } else if (const auto* pod = std::get_if<api::PodPtr>(&object)) {
    const PodInfoPtr info = framework::MakePodInfo(*pod, names_);
    if ((*pod)->node_name.empty()) {
      pending_.push_back(info);
    } else {
      cluster_.PlacePod(info, (*pod)->node_name);
      running_.push_back(info);
    }
  } else {
    cluster_.SetObject(object);
  }
}

Result<std::unique_ptr<runtime::Profile>> CheckCluster::Build(config::ProfilePlan plan,
                                                              const framework::Registry& registry) {
  runtime::Services services;
  services.cluster = &cluster_;
  services.lister = &cluster_.objects();
  services.resource_names = &names_;
  services.nominator = &nominated_;
  services.waiting_pods = &waiting_;
  services.evictor = &silent_;
  services.events = &silent_;
  services.clock = &clock_;
  services.log = log_;
  return runtime::Profile::Build(std::move(plan), registry, services);
}

PodInfoPtr CheckCluster::Unplaced(const PodInfo& pod) {
  auto unplaced = std::make_shared<api::Pod>(*pod);
  unplaced->node_name.clear();
  return framework::MakePodInfo(std::move(unplaced), names_);
}

}  // namespace berth::plugin_check
