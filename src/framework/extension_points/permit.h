// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <string_view>

namespace berth::framework {

struct PermitResult {
  Status status;        // Success approves, Wait delays, a rejection denies
  Duration timeout{0};  // with Wait: how long until the pod is denied; capped at 15 minutes
};

// The last word before binding starts: approve, deny, or wait until another party decides.
class PermitPlugin {
 public:
  virtual PermitResult Permit(CycleState& state, const PodInfo& pod, std::string_view node) = 0;

 protected:
  ~PermitPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
