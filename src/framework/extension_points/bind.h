// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/binding_work.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"

#include <string_view>

namespace berth::framework {

// Tells the cluster that the pod has its node. Plugins are asked in order; the first that does not Skip decides. Runs
// on the engine thread, and like PreBind never waits: it says what it waits for and is called again.
class BindPlugin {
 public:
  virtual BindingProgress Bind(CycleState& state, const PodInfo& pod, std::string_view node, const Wake& wake,
                               BindWork& work) = 0;
  // True when Bind does nothing but BindWork::Bind: the scheduler may then write the binding itself.
  virtual bool BindsAsDefault() const { return false; }

 protected:
  ~BindPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
