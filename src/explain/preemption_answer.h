// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"
#include "runtime/cycle.h"
#include "runtime/profile.h"

#include <optional>

namespace berth::explain {

// Which pods could be evicted for the pod, node by node, and PostFilter's message. Nothing when the profile has no
// PostFilter plugin. The profile must belong to a fork: PostFilter plugins write.
std::optional<PreemptionAnswer> AskPreemption(runtime::Profile& profile, runtime::Cycle& cycle,
                                              const framework::PodInfo& pod);

}  // namespace berth::explain
