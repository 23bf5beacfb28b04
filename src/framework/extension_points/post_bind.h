// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/pod_info.h"

#include <string_view>

namespace berth::framework {

// Is told that a pod was bound. Runs on the work pool, where it may block.
class PostBindPlugin {
 public:
  virtual void PostBind(CycleState& state, const PodInfo& pod, std::string_view node) = 0;

 protected:
  ~PostBindPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
