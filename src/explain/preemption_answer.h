// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"
#include "runtime/cycle.h"
#include "runtime/profile.h"

#include <optional>

namespace berth::explain {

// Whom the pod could evict, node by node, and what PostFilter says. Nothing when the profile has no PostFilter. The
// profile must belong to a fork: PostFilter plugins write.
std::optional<PreemptionAnswer> AskPreemption(runtime::Profile& profile, runtime::Cycle& cycle,
                                              const framework::PodInfo& pod);

}  // namespace berth::explain
