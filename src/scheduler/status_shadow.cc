// SPDX-License-Identifier: Apache-2.0
#include "scheduler/status_shadow.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

namespace berth::scheduler {
namespace {

// Versions of one object can be compared as numbers; a version that is no number is never taken for a later one.
bool IsAtLeast(std::string_view version, std::string_view other) {
  uint64_t a = 0;
  uint64_t b = 0;
  const auto read = [](std::string_view text, uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  };
  return read(version, a) && read(other, b) ? a >= b : version == other;
}

void SetCondition(api::PodStatus& status, const api::Condition& wanted) {
  const auto present = std::ranges::find(status.conditions, wanted.type, &api::Condition::type);
  if (present == status.conditions.end()) {
    status.conditions.push_back(wanted);
  } else {
    *present = wanted;
  }
}

}  // namespace

void StatusShadow::Asked(const home::PatchPodStatus& patch, home::Ticket ticket) {
  if (ticket == home::kNoTicket) return;
  Expected& expected = expected_[patch.pod->meta.uid];
  if (expected.lost) expected = {};
  if (patch.condition) expected.condition = patch.condition;
  if (patch.nominated_node) expected.nominated_node = patch.nominated_node;
  expected.ticket = ticket;
  expected.version.clear();
}

void StatusShadow::Written(std::string_view uid, home::Ticket ticket, std::string version) {
  const auto it = expected_.find(uid);
  if (it != expected_.end() && it->second.ticket == ticket) it->second.version = std::move(version);
}

void StatusShadow::NotWritten(std::string_view uid, home::Ticket ticket) {
  const auto it = expected_.find(uid);
  if (it != expected_.end() && it->second.ticket == ticket) it->second.lost = true;
}

bool StatusShadow::IsLost(std::string_view uid) const {
  const auto it = expected_.find(uid);
  return it != expected_.end() && it->second.lost;
}

home::Ticket StatusShadow::Pending(std::string_view uid) const {
  const auto it = expected_.find(uid);
  if (it == expected_.end() || it->second.lost || !it->second.version.empty()) return home::kNoTicket;
  return it->second.ticket;
}

void StatusShadow::Forget(std::string_view uid) {
  if (const auto it = expected_.find(uid); it != expected_.end()) expected_.erase(it);
}

api::PodPtr StatusShadow::Over(const api::PodPtr& told) {
  if (expected_.empty()) return told;
  const auto it = expected_.find(told->meta.uid);
  if (it == expected_.end()) return told;
  const Expected& expected = it->second;
  if (expected.lost) {
    expected_.erase(it);
    return told;
  }
  if (!expected.version.empty() && IsAtLeast(told->meta.resource_version, expected.version)) {
    expected_.erase(it);
    return told;
  }
  api::PodStatus status = *told->status;
  if (expected.condition) SetCondition(status, expected.condition->condition);
  if (expected.nominated_node) status.nominated_node_name = *expected.nominated_node;
  api::Pod pod = *told;
  pod.status = std::make_shared<const api::PodStatus>(std::move(status));
  return std::make_shared<const api::Pod>(std::move(pod));
}

}  // namespace berth::scheduler
