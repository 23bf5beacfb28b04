// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <string_view>

namespace berth::framework {

// Sets something aside for a pod that has been given a node. Unreserve runs for every Reserve plugin, in reverse order,
// when anything after fails: it must be idempotent and bear being called without Reserve.
class ReservePlugin {
 public:
  virtual Status Reserve(CycleState& state, const PodInfo& pod, std::string_view node) = 0;
  virtual void Unreserve(CycleState& state, const PodInfo& pod, std::string_view node) = 0;

 protected:
  ~ReservePlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
