// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/lister.h"

#include <string>

namespace berth::simulator {

// The pod with the priority and preemption policy that an API server would have given it: those of its class, or of
// the class that is the global default. A pod that has a priority keeps it. `warning` is set when the class is unknown.
api::PodPtr WithPriority(const api::PodPtr& pod, const framework::Lister& lister, std::string& warning);

}  // namespace berth::simulator
