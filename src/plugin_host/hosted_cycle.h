// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "plugin_host/hosted_binding.h"

#include <berth/plugin/v1/plugin.pb.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace berth::plugin_host {

// A node with some pods more or less, and the state that knows of them.
struct HostedTrial {
  uint64_t revision = 0;  // of the cluster that it began with
  framework::NodeInfo node;
  framework::CycleState state;
  std::vector<plugin::v1::PodChange> changes;
};

// What the plugin remembers of one cycle, under the number that the scheduler gave it.
struct HostedCycle {
  framework::CycleState state;
  framework::PodInfoPtr pod;  // kept alive, for the state may refer to it
  bool is_pre_filtered = false;
  std::optional<HostedTrial> trial;  // where the last hypothesis led: the next mostly goes on from there
  std::unique_ptr<HostedBinding> pre_bind;
  std::unique_ptr<HostedBinding> bind;
};

}  // namespace berth::plugin_host
