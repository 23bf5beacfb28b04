// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/cycle_state.h"
#include "framework/extension_points/post_filter.h"
#include "framework/node_info.h"
#include "framework/plugin_runner.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "framework/verdicts.h"
#include "runtime/cycle.h"
#include "runtime/plain_form.h"
#include "runtime/profile_plugins.h"

#include <cstddef>

namespace berth::runtime {

// PreFilter, Filter and PostFilter of a profile: which nodes may take the pod, and what can be done when none may.
//
// A step fills its part of `cycle`. A status that is neither Success nor a rejection is an error that ends the cycle.
// Engine thread only; it shares plain Filters with its workers.
class FilterSteps final : public framework::PluginRunner {
 public:
  // `plugins` outlives this.
  explicit FilterSteps(const ProfilePlugins& plugins) : plugins_(plugins) {}

  framework::Status RunPreFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status RunFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  // One plugin's Filter over all nodes, as if it were alone, into `verdicts`. `filter_index` counts the plugins at
  // Filter.
  framework::Status RunFilterAlone(size_t filter_index, const Cycle& cycle, const framework::PodInfo& pod,
                                   framework::Verdicts& verdicts) const;
  framework::PostFilterResult RunPostFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  // Whether pods of one template share their verdicts as long as nothing changes: every plugin that could reject says
  // so.
  bool VerdictsFollowFromTemplate(const framework::PodInfo& pod) const;

  // framework::PluginRunner
  framework::Status RunFilterPluginsWithNominatedPods(const framework::CycleState& state, const framework::PodInfo& pod,
                                                      const framework::NodeInfo& node) const override;
  framework::Status RunPreFilterAddPod(framework::CycleState& state, const framework::PodInfo& pod,
                                       const framework::PodInfo& added, const framework::NodeInfo& node) const override;
  framework::Status RunPreFilterRemovePod(framework::CycleState& state, const framework::PodInfo& pod,
                                          const framework::PodInfo& removed,
                                          const framework::NodeInfo& node) const override;

 private:
  // What Run… do, not counting how long it takes.
  framework::Status PreFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status Filter(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::PostFilterResult PostFilter(Cycle& cycle, const framework::PodInfo& pod) const;

  framework::Status FilterWith(const ProfilePlugin& plugin, const framework::CycleState& state,
                               const framework::PodInfo& pod, PlainVerdicts& scratch,
                               framework::Verdicts& verdicts) const;
  framework::Status FilterOneNode(const framework::CycleState& state, const SkipSet& skipped,
                                  const framework::PodInfo& pod, const framework::NodeInfo& node) const;
  framework::Status JudgeNominatedNodes(Cycle& cycle, const framework::PodInfo& pod) const;
  const framework::ClusterView& cluster() const { return *plugins_.services().cluster; }

  const ProfilePlugins& plugins_;
};

}  // namespace berth::runtime
