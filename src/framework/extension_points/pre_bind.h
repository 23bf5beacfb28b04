// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <stop_token>
#include <string_view>

namespace berth::framework {

struct PreFlightResult {
  Status status;                // Success: PreBind has work to do; Skip: it has none
  bool allow_parallel = false;  // PreBind may run beside that of its neighbours
};

// Work that must be finished before the pod is bound: volumes, claims. PreBindPreFlight is quick and runs on the engine
// thread, PreBind may wait and runs on the binding pool.
class PreBindPlugin {
 public:
  virtual PreFlightResult PreBindPreFlight(CycleState& state, const PodInfo& pod, std::string_view node) = 0;
  // Whoever waits here looks at `stop`: it is set when a neighbour failed, the pod was deleted or evicted, or the
  // scheduler ends. Neighbours that run at the same time share the state: read it, change nothing another reads.
  virtual Status PreBind(CycleState& state, const PodInfo& pod, std::string_view node, const std::stop_token& stop) = 0;

 protected:
  ~PreBindPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
