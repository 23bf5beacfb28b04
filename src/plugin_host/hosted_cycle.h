// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "plugin_host/hosted_binding.h"

#include <memory>

namespace berth::plugin_host {

// What the plugin remembers of one cycle, under the number that the scheduler gave it.
struct HostedCycle {
  framework::CycleState state;
  framework::PodInfoPtr pod;  // kept alive, for the state may refer to it
  bool is_pre_filtered = false;
  std::unique_ptr<HostedBinding> pre_bind;
  std::unique_ptr<HostedBinding> bind;
};

}  // namespace berth::plugin_host
