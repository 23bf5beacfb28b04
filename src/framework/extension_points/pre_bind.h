// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <string_view>

namespace berth::framework {

struct PreFlightResult {
  Status status;                // Success: PreBind has work to do; Skip: it has none
  bool allow_parallel = false;  // PreBind may run beside that of its neighbours
};

// Work that must be finished before the pod is bound: volumes, claims. Runs on the binding pool.
class PreBindPlugin {
 public:
  virtual PreFlightResult PreBindPreFlight(CycleState& state, const PodInfo& pod, std::string_view node) = 0;
  virtual Status PreBind(CycleState& state, const PodInfo& pod, std::string_view node) = 0;

 protected:
  ~PreBindPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
