// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/string_map.h"
#include "framework/binding_work.h"
#include "scheduler/attempt.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

namespace berth::scheduler {

// When the plugins at PreBind and Bind are to be called again: which objects and which moments they wait for.
// Engine thread only.
class AttemptWakes {
 public:
  // Registers what the attempt's plugins wait for now, in place of what they waited for before.
  void Update(Attempt& attempt, std::optional<Timestamp> wake_at, std::span<const framework::ObjectKey> wake_on);

  bool waits_for_objects() const { return !by_object_.empty(); }
  std::vector<Attempt*> WaitingFor(const framework::ObjectKey& object) const;

  size_t CountDue(Timestamp now) const;
  // The next attempt whose time has come by `now`; null when there is none. Its moment is spent.
  Attempt* TakeDue(Timestamp now);
  std::optional<Timestamp> NextDue() const;

 private:
  StringMap<std::vector<Attempt*>> by_object_;
  std::set<std::tuple<Timestamp, uint64_t, Attempt*>> by_time_;  // then by the attempt's number
};

}  // namespace berth::scheduler
