// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "remote/cycle_numbers.h"
#include "remote/remote_binding_run.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace berth::remote {

// A pod that was added to a copy of a node, or removed from it.
struct NodeChange {
  framework::NodeId node = framework::kNoNode;
  framework::PodInfoPtr pod;
  bool added = false;
};

// What the plugin that answers in the remote one's place remembers.
struct FallbackState {
  framework::CycleState state;
  framework::Status pre_filter;
  std::optional<std::vector<framework::NodeId>> only;  // the nodes that PreFilter left

  FallbackState() = default;
  FallbackState(const FallbackState& other)
      : state(other.state.Clone()), pre_filter(other.pre_filter), only(other.only) {}
  FallbackState& operator=(const FallbackState&) = delete;
};

// What is remembered of one cycle of a remote plugin at the scheduler: everything else the plugin has in its own
// process, under the cycle's number.
struct RemoteCycle final : framework::StateData {
  CycleNumbers::CyclePtr cycle;
  std::vector<NodeChange> changes;  // in order
  bool is_kept_after_decision = true;
  bool knew_pre_filter = false;  // its verdict was remembered: in this cycle the plugin was not asked
  // From PreBind and Bind on.
  std::unique_ptr<RemoteBindingRun> pre_bind;
  std::unique_ptr<RemoteBindingRun> bind;
  // Set once the fallback has been asked; a cache, so also while nothing else may change.
  mutable std::unique_ptr<FallbackState> fallback;

  uint64_t number() const { return cycle == nullptr ? 0 : cycle->number(); }

  // framework::StateData
  std::unique_ptr<framework::StateData> Clone() const override {
    auto copy = std::make_unique<RemoteCycle>();
    copy->cycle = cycle;
    copy->changes = changes;
    copy->is_kept_after_decision = is_kept_after_decision;
    copy->knew_pre_filter = knew_pre_filter;
    if (fallback != nullptr) copy->fallback = std::make_unique<FallbackState>(*fallback);
    return copy;
  }
  bool Recycle() override {
    cycle.reset();
    changes.clear();
    knew_pre_filter = false;
    fallback.reset();
    pre_bind.reset();
    bind.reset();
    return true;
  }
  bool EndsWithDecision() const override { return !is_kept_after_decision; }
};

}  // namespace berth::remote
