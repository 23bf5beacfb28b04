// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/lister.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::simulator {

// What a priority class gives to its pods.
struct GivenPriority {
  int32_t priority = 0;
  std::string preemption_policy;  // empty: the default
};

// What an API server would give to a pod that names this class, or none: the class that is the global default. Nothing
// when there is no such class.
std::optional<GivenPriority> PriorityOfClass(std::string_view name, const framework::Lister& lister);

// The pod with the priority and preemption policy that an API server would have given it: those of its class, or of
// the class that is the global default. A pod that has a priority keeps it. `warning` is set when the class is unknown.
api::PodPtr WithPriority(const api::PodPtr& pod, const framework::Lister& lister, std::string& warning);

}  // namespace berth::simulator
