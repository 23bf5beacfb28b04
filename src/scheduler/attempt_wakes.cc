// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempt_wakes.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::ObjectKey;

namespace {

std::string NameOf(const ObjectKey& key) { return fmt::format("{}/{}/{}", key.kind, key.namespace_, key.name); }

}  // namespace

void AttemptWakes::Update(Attempt& attempt, std::optional<Timestamp> wake_at, std::span<const ObjectKey> wake_on) {
  if (attempt.woken_at != wake_at) {
    if (attempt.woken_at) by_time_.erase({*attempt.woken_at, attempt.number, &attempt});
    attempt.woken_at = wake_at;
    if (attempt.woken_at) by_time_.emplace(*attempt.woken_at, attempt.number, &attempt);
  }
  if (std::ranges::equal(attempt.woken_by, wake_on)) return;
  for (const ObjectKey& key : attempt.woken_by) {
    const auto it = by_object_.find(NameOf(key));
    if (it == by_object_.end()) continue;
    std::erase(it->second, &attempt);
    if (it->second.empty()) by_object_.erase(it);
  }
  attempt.woken_by.assign(wake_on.begin(), wake_on.end());
  for (const ObjectKey& key : attempt.woken_by) {
    std::vector<Attempt*>& waiting = by_object_[NameOf(key)];
    if (std::ranges::find(waiting, &attempt) == waiting.end()) waiting.push_back(&attempt);
  }
}

std::vector<Attempt*> AttemptWakes::WaitingFor(const ObjectKey& object) const {
  const auto it = by_object_.find(NameOf(object));
  return it == by_object_.end() ? std::vector<Attempt*>() : it->second;
}

size_t AttemptWakes::CountDue(Timestamp now) const {
  size_t count = 0;
  for (auto it = by_time_.begin(); it != by_time_.end() && std::get<Timestamp>(*it) <= now; ++it) ++count;
  return count;
}

Attempt* AttemptWakes::TakeDue(Timestamp now) {
  if (by_time_.empty() || std::get<Timestamp>(*by_time_.begin()) > now) return nullptr;
  Attempt* attempt = std::get<Attempt*>(*by_time_.begin());
  by_time_.erase(by_time_.begin());
  attempt->woken_at.reset();
  return attempt;
}

std::optional<Timestamp> AttemptWakes::NextDue() const {
  if (by_time_.empty()) return std::nullopt;
  return std::get<Timestamp>(*by_time_.begin());
}

}  // namespace berth::scheduler
