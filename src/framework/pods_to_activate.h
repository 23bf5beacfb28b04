// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"

#include <string>
#include <vector>

namespace berth::framework {

// Pods a plugin wants tried at once: the scheduler activates them at the end of a scheduling cycle that placed its pod,
// and again at the end of the binding cycle.
struct PodsToActivate : CloneableState<PodsToActivate> {
  std::vector<std::string> uids;
};
inline constexpr StateKey<PodsToActivate> kPodsToActivate{"kubernetes.io/pods-to-activate"};

}  // namespace berth::framework
