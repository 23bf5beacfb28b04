// SPDX-License-Identifier: Apache-2.0
#include "simulator/described_cluster.h"

#include <utility>

namespace berth::simulator {

DescribedCluster::DescribedCluster(const DescribedObjects& objects, std::vector<config::ProfilePlan> plans,
                                   const framework::Registry& registry)
    : cluster_(names_),
      clock_(objects.latest),
      registry_(registry),
      plans_(std::move(plans)),
      ignored_(objects.ignored) {
  const auto rules = framework::PodRules::From(plans_.front().features);
  for (const api::Manifest& manifest : objects.others) cluster_.SetObject(manifest.object);
  // By name, as an API server lists them: the first node that has an image determines its size.
  for (const api::Manifest& manifest : objects.nodes) cluster_.SetNode(std::get<api::NodePtr>(manifest.object));
  for (const api::Manifest& manifest : objects.running) {
    running_.push_back(framework::MakePodInfo(PodOf(manifest), names_, rules));
    cluster_.PlacePod(running_.back(), PodOf(manifest)->node_name);
  }
  for (const api::Manifest& manifest : objects.pending) {
    pending_.push_back(framework::MakePodInfo(PodOf(manifest), names_, rules));
    const std::string& promised = PodOf(manifest)->status->nominated_node_name;
    if (!promised.empty()) nominations_.Add(pending_.back(), promised);
  }
}

const config::ProfilePlan& DescribedCluster::PlanFor(std::string_view scheduler_name) const {
  for (const config::ProfilePlan& plan : plans_) {
    if (plan.scheduler_name == scheduler_name) return plan;
  }
  return plans_.front();
}

}  // namespace berth::simulator
