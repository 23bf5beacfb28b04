// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/plugin_runner.h"
#include "plugin_host/mirror.h"
#include "plugin_host/scheduler_end.h"
#include "remote/remote_cycle.h"

#include <cstdint>
#include <vector>

namespace berth::plugin_host {

// The profile's Filter plugins, which the scheduler runs: what is added to copies of nodes and removed from them is
// remembered in the state and told with the question. Of use during PostFilter only.
class AskingRunner final : public framework::PluginRunner {
 public:
  AskingRunner(Mirror& mirror, SchedulerEnd& scheduler) : mirror_(mirror), scheduler_(scheduler) {}

  // The PostFilter call that questions belong to; 0 when there is none.
  void SetCall(uint64_t call) { call_ = call; }

  framework::Status RunFilterPluginsWithNominatedPods(const framework::CycleState& state, const framework::PodInfo& pod,
                                                      const framework::NodeInfo& node) const override;
  framework::Status RunPreFilterAddPod(framework::CycleState& state, const framework::PodInfo& pod,
                                       const framework::PodInfo& added, const framework::NodeInfo& node) const override;
  framework::Status RunPreFilterRemovePod(framework::CycleState& state, const framework::PodInfo& pod,
                                          const framework::PodInfo& removed,
                                          const framework::NodeInfo& node) const override;

 private:
  static void Note(framework::CycleState& state, const framework::PodInfo& changed, framework::NodeId node, bool added);

  Mirror& mirror_;
  SchedulerEnd& scheduler_;
  uint64_t call_ = 0;
  mutable uint64_t last_question_ = 0;
};

}  // namespace berth::plugin_host
