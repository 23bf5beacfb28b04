// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/lister.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::simulator {

// What a priority class sets on its pods.
struct GivenPriority {
  int32_t priority = 0;
  std::string preemption_policy;  // empty: the default
};

// What an API server would set on a pod of this class; without a name, the global default class. Nothing when there is
// no such class.
std::optional<GivenPriority> PriorityOfClass(std::string_view name, const framework::Lister& lister);

// The pod with the priority and preemption policy an API server would have set: those of its class, or of the global
// default class. A pod that has a priority keeps it. `warning` is set when the class is unknown.
api::PodPtr WithPriority(const api::PodPtr& pod, const framework::Lister& lister, std::string& warning);

}  // namespace berth::simulator
