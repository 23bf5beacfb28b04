// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "remote/plugin_calls.h"
#include "remote/wire.h"

#include <functional>
#include <optional>
#include <vector>

namespace berth::remote {

// Judges nodes as they would be, by all Filter plugins of the profile, for a plugin that asks during PostFilter.
// Whoever looks for victims changes one node a little at a time: what the last question led to is where the next
// begins. Engine thread only.
class JudgedHypotheses {
 public:
  // The state of the cycle, which is left as it is. Everything lent outlives this.
  JudgedHypotheses(PluginCalls& calls, const framework::CycleState& state, const framework::PodInfo& pod)
      : calls_(calls), state_(state), pod_(pod) {}

  wire::Judged AnswerTo(const wire::Judge& judge);

 private:
  // A node with the changes so far.
  struct Trial {
    framework::NodeInfo node;
    framework::CycleState state;
    std::vector<wire::PodChange> changes;
  };

  Result<framework::Status> Judge(const wire::Hypothesis& hypothesis);
  void Begin(framework::NodeId node);
  Result<framework::Status> Apply(const wire::PodChange& change);
  framework::PodInfoPtr FindPod(uint64_t id) const;

  PluginCalls& calls_;
  const framework::CycleState& state_;
  const framework::PodInfo& pod_;
  std::optional<Trial> trial_;
};

}  // namespace berth::remote
