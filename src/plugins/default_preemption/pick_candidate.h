// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/default_preemption/victims.h"

#include <span>
#include <vector>

namespace berth::plugins {

// The candidates that are as good as any other, in the order given. The criteria, each deciding only among what the
// ones before left equal: fewest broken budgets; lowest priority of the most important victim; lowest sum of
// priorities; fewest victims; latest start of the longest-running victim of the highest priority.
std::vector<const PreemptionCandidate*> BestCandidates(std::span<const PreemptionCandidate> candidates, Timestamp now);

}  // namespace berth::plugins
