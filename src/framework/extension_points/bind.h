// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <string_view>

namespace berth::framework {

// Tells the cluster that the pod has its node. Runs on the binding pool, in order; the first that does not Skip
// decides.
class BindPlugin {
 public:
  virtual Status Bind(CycleState& state, const PodInfo& pod, std::string_view node) = 0;
  // True when Bind does nothing but call Writer::Bind: the scheduler may then write many bindings at once itself.
  virtual bool BindsThroughWriter() const { return false; }

 protected:
  ~BindPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
