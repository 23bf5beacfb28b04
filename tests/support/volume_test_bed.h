// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/manifest.h"
#include "base/clock.h"
#include "cluster/cluster_state.h"
#include "features/feature_gates.h"
#include "framework/pod_info.h"
#include "plugins/registry.h"
#include "runtime/profile.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::test {

inline api::Object ReadObject(std::string_view yaml) {
  auto manifests = api::ParseManifests(*api::ReadDocuments(yaml, "test"));
  return manifests->objects.at(0).object;
}

// A cluster and a profile of the volume plugins alone, for tests.
class VolumeTestBed {
 public:
  VolumeTestBed() : cluster_(names_) { profile_ = MakeProfile(); }

  // Another profile over the same cluster; `args` are VolumeBinding's.
  std::unique_ptr<runtime::Profile> MakeProfile(framework::PluginArgsPtr args = nullptr,
                                                const features::FeatureGates& gates = {}) {
    config::ProfilePlan plan;
    plan.features = gates;
    if (args != nullptr) plan.args["VolumeBinding"] = std::move(args);
    const framework::Registry registry = plugins::InTreeRegistry();
    for (const char* name : {"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"}) {
      for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
        if (registry.Find(name)->points.Has(point)) plan.at(point).push_back({name, 1});
      }
    }
    runtime::Services services;
    services.cluster = &cluster_;
    services.lister = &cluster_.objects();
    services.resource_names = &names_;
    services.nominator = &nominator_;
    services.clock = &clock_;
    return *runtime::Profile::Build(std::move(plan), registry, services);
  }

  // Takes in every document; pods must name their node.
  void Load(std::string_view yaml) {
    auto manifests = api::ParseManifests(*api::ReadDocuments(yaml, "test"));
    for (const api::Manifest& manifest : manifests->objects) Set(manifest.object);
  }
  void Set(const api::Object& object) {
    if (const auto* node = std::get_if<api::NodePtr>(&object)) {
      cluster_.SetNode(*node);
    } else if (const auto* pod = std::get_if<api::PodPtr>(&object)) {
      cluster_.PlacePod(framework::MakePodInfo(*pod, names_), (*pod)->node_name);
    } else {
      cluster_.SetObject(object);
    }
  }
  framework::PodInfoPtr Pod(std::string_view yaml) {
    return framework::MakePodInfo(std::get<api::PodPtr>(ReadObject(yaml)), names_);
  }
  // A pod of that name with one claim per volume.
  framework::PodInfoPtr PodWithClaims(std::string_view name, const std::vector<std::string>& claims) {
    auto spec = std::make_shared<api::PodSpec>();
    for (const std::string& claim : claims) spec->volumes.push_back({claim, api::ClaimVolume{claim, false}});
    auto pod = std::make_shared<api::Pod>();
    pod->meta.name = pod->meta.uid = name;
    pod->meta.namespace_ = "default";
    pod->spec = spec;
    pod->status = std::make_shared<api::PodStatus>();
    return framework::MakePodInfo(pod, names_);
  }

  // PreFilter and Filter into `cycle`; returns the names of the nodes that pass.
  std::vector<std::string> FeasibleFor(const framework::PodInfo& pod, runtime::Cycle& cycle) {
    return FeasibleFor(*profile_, pod, cycle);
  }
  std::vector<std::string> FeasibleFor(const runtime::Profile& profile, const framework::PodInfo& pod,
                                       runtime::Cycle& cycle) {
    cycle.Reset();
    std::vector<std::string> names;
    const runtime::FilterSteps& filtering = profile.filtering();
    if (!filtering.RunPreFilter(cycle, pod).ok() || !filtering.RunFilter(cycle, pod).ok()) return names;
    for (const framework::NodeId id : cycle.feasible) names.push_back(cluster_.node(id).name());
    return names;
  }

  cluster::ClusterState& cluster() { return cluster_; }
  runtime::Profile& profile() { return *profile_; }
  ManualClock& clock() { return clock_; }
  framework::ResourceNames& names() { return names_; }

 private:
  struct NoNominations final : framework::Nominator {
    void Add(framework::PodInfoPtr, std::string_view) override {}
    void Remove(std::string_view) override {}
    std::string_view NodeOf(std::string_view) const override { return {}; }
    std::span<const framework::PodInfoPtr> PodsFor(std::string_view) const override { return {}; }
    std::vector<std::string> NodesWithNominations() const override { return {}; }
  };

  framework::ResourceNames names_;
  cluster::ClusterState cluster_;
  NoNominations nominator_;
  ManualClock clock_;
  std::unique_ptr<runtime::Profile> profile_;
};

}  // namespace berth::test
