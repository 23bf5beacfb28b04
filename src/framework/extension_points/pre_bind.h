// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/binding_work.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <string_view>

namespace berth::framework {

struct PreFlightResult {
  Status status;                // Success: PreBind has work to do; Skip: it has none
  bool allow_parallel = false;  // PreBind may run beside that of its neighbours
};

// Work that must be finished before the pod is bound: volumes, claims. Both functions run on the engine thread and are
// quick: whoever has to wait says for what and is called again. So any number of pods can wait here without a thread.
class PreBindPlugin {
 public:
  virtual PreFlightResult PreBindPreFlight(CycleState& state, const PodInfo& pod, std::string_view node) = 0;
  // Called with Wake::Reason::Start, and then whenever something it waits for has come, until it is finished. A plugin
  // that is no longer called, because a neighbour failed, the pod was deleted or evicted, or the scheduler ends, cleans
  // up in Unreserve.
  virtual PreBindProgress PreBind(CycleState& state, const PodInfo& pod, std::string_view node, const Wake& wake,
                                  BindingWork& work) = 0;

 protected:
  ~PreBindPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
