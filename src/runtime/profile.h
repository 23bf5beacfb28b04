// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "config/profile_plan.h"
#include "features/feature_gates.h"
#include "framework/handle.h"
#include "framework/indexed_cluster.h"
#include "framework/registry.h"
#include "framework/silent_roles.h"
#include "framework/status.h"
#include "log/logger.h"
#include "runtime/binding_steps.h"
#include "runtime/filter_steps.h"
#include "runtime/plugin_counts.h"
#include "runtime/profile_plugins.h"
#include "runtime/score_steps.h"

#include <memory>
#include <string_view>
#include <utility>

namespace berth::runtime {

// One profile: its plugins, built and in order, and upstream's rules for running them at each extension point: which
// codes mean what, who is skipped, what is said when something fails. Plugins see it as their Handle.
//
// Engine thread only, except where Handle, ProfilePlugins and BindingSteps say otherwise.
class Profile final : public framework::Handle {
 public:
  // Builds every plugin of the plan. The error names the plugin that could not be built.
  static Result<std::unique_ptr<Profile>> Build(config::ProfilePlan plan, const framework::Registry& registry,
                                                const Services& services);
  // Its plugins and its parts refer to it.
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  const config::ProfilePlan& plan() const { return plugins_.plan(); }
  const ProfilePlugins& plugins() const { return plugins_; }
  const FilterSteps& filtering() const { return filtering_; }
  const ScoreSteps& scoring() const { return scoring_; }
  const BindingSteps& binding() const { return binding_; }
  // For the engine thread, between the points that run on several. Plugins do not see it: their Handle offers
  // cluster().
  framework::IndexedCluster& indexed_cluster() const { return *services().cluster; }

  // The first plugin that gates the pod, or Success.
  framework::Status RunPreEnqueue(const api::Pod& pod) const;
  bool QueueSortLess(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const;

  // framework::Handle
  std::string_view profile_name() const override { return plan().scheduler_name; }
  framework::PointSet EnabledAt(std::string_view plugin) const override;
  const features::FeatureGates& features() const override { return plan().features; }
  const log::Logger& log() const override { return services().log; }
  const framework::ClusterView& cluster() const override { return *services().cluster; }
  const framework::Lister& lister() const override { return *services().lister; }
  const framework::ObjectReader& objects() const override {
    return services().objects != nullptr ? *services().objects : no_objects_;
  }
  framework::ResourceNames& resource_names() override { return *services().resource_names; }
  framework::Nominator& nominator() override { return *services().nominator; }
  framework::PluginRunner& plugin_runner() override { return filtering_; }
  framework::PreemptionReview* preemption_review() override { return plugins_.services().preemption_review; }
  framework::WaitingPods& waiting_pods() override { return *services().waiting_pods; }
  framework::Evictor& evictor() override { return *services().evictor; }
  framework::EventRecorder& events() override { return *services().events; }
  framework::Activator& activator() override {
    return services().activator != nullptr ? *services().activator : no_activator_;
  }
  framework::PluginMetrics& metrics() override { return counts_; }
  const Clock& clock() const override { return *services().clock; }

 private:
  Profile(config::ProfilePlan plan, const Services& services)
      : counts_(services.metrics),
        plugins_(std::move(plan), services),
        filtering_(plugins_),
        scoring_(plugins_),
        binding_(plugins_) {}

  const Services& services() const { return plugins_.services(); }

  // Roles that plugins are lent; they outlive the plugins.
  PluginCounts counts_;
  const framework::NoObjects no_objects_;
  framework::SilentRoles no_activator_;
  ProfilePlugins plugins_;
  FilterSteps filtering_;
  ScoreSteps scoring_;
  BindingSteps binding_;
};

}  // namespace berth::runtime
