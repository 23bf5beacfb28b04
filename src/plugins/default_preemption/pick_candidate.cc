// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/pick_candidate.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace berth::plugins {
namespace {

// Shifts priorities above zero, so that more victims of negative priority never look better than fewer.
constexpr int64_t kPriorityShift = int64_t{std::numeric_limits<int32_t>::max()} + 1;

int64_t SumOfPriorities(const PreemptionCandidate& candidate) {
  int64_t sum = 0;
  for (const auto& victim : candidate.victims) sum += victim->pod->priority() + kPriorityShift;
  return sum;
}

int64_t EarliestStartAtTop(const PreemptionCandidate& candidate, Timestamp now) {
  int32_t top = candidate.victims.front()->pod->priority();
  Timestamp earliest = StartTimeOf(*candidate.victims.front()->pod, now);
  for (const auto& victim : candidate.victims) {
    const Timestamp start = StartTimeOf(*victim->pod, now);
    if (victim->pod->priority() == top) {
      earliest = std::min(earliest, start);
    } else if (victim->pod->priority() > top) {
      top = victim->pod->priority();
      earliest = start;
    }
  }
  return earliest.time_since_epoch().count();
}

}  // namespace

std::vector<const PreemptionCandidate*> BestCandidates(std::span<const PreemptionCandidate> candidates, Timestamp now) {
  // Higher is better.
  const std::function<int64_t(const PreemptionCandidate&)> criteria[] = {
      [](const auto& candidate) { return -candidate.pdb_violations; },
      [](const auto& candidate) { return -int64_t{candidate.victims.front()->pod->priority()}; },
      [](const auto& candidate) { return -SumOfPriorities(candidate); },
      [](const auto& candidate) { return -static_cast<int64_t>(candidate.victims.size()); },
      [now](const auto& candidate) { return EarliestStartAtTop(candidate, now); },
  };
  std::vector<const PreemptionCandidate*> best;
  for (const PreemptionCandidate& candidate : candidates) best.push_back(&candidate);
  for (const auto& criterion : criteria) {
    if (best.size() <= 1) break;
    int64_t highest = std::numeric_limits<int64_t>::min();
    for (const PreemptionCandidate* candidate : best) highest = std::max(highest, criterion(*candidate));
    std::erase_if(best, [&](const PreemptionCandidate* candidate) { return criterion(*candidate) != highest; });
  }
  return best;
}

}  // namespace berth::plugins
