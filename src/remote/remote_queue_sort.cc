// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_queue_sort.h"

#include <algorithm>
#include <compare>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using framework::PodInfo;
using framework::QueuedPodInfo;

namespace {

constexpr size_t kGeneration = 100'000;
constexpr std::chrono::seconds kAskAgain{5};

// Parts of different kinds are told apart by their kinds, so that any two keys have an order.
std::strong_ordering Compare(const wire::SortPart& a, const wire::SortPart& b, const QueuedPodInfo& of_a,
                             const QueuedPodInfo& of_b) {
  if (a.part_case() != b.part_case()) return a.part_case() <=> b.part_case();
  switch (a.part_case()) {
    case wire::SortPart::kNumber: return a.number() <=> b.number();
    case wire::SortPart::kText: return a.text().compare(b.text()) <=> 0;
    case wire::SortPart::kQueued: return of_a.queued <=> of_b.queued;
    case wire::SortPart::kAttempts: return of_a.attempts <=> of_b.attempts;
    case wire::SortPart::PART_NOT_SET: break;
  }
  return std::strong_ordering::equal;
}

bool KeyLess(const wire::SortKey& a, const wire::SortKey& b, const QueuedPodInfo& of_a, const QueuedPodInfo& of_b) {
  for (int i = 0; i < std::min(a.parts_size(), b.parts_size()); ++i) {
    const std::strong_ordering order = Compare(a.parts(i), b.parts(i), of_a, of_b);
    if (order != std::strong_ordering::equal) return order == std::strong_ordering::less;
  }
  return a.parts_size() < b.parts_size();
}

std::string ProblemOfKeys(const wire::Answer& answer) {
  if (!answer.has_sort_key()) return "it answers another step";
  const int keys = answer.sort_key().keys_size();
  return keys == 1 ? "" : fmt::format("{} keys for 1 pod", keys);
}

}  // namespace

bool RemoteQueueSort::Less(const QueuedPodInfo& a, const QueuedPodInfo& b) const {
  // The first one stays where it is while the second is looked up.
  const std::optional<wire::SortKey>& of_a = KeyOf(*a.pod);
  const std::optional<wire::SortKey>& of_b = KeyOf(*b.pod);
  if (of_a && of_b) return KeyLess(*of_a, *of_b, a, b);
  if (of_a.has_value() != of_b.has_value()) return of_a.has_value();
  return LessWithoutKeys(a, b);
}

bool RemoteQueueSort::LessWithoutKeys(const QueuedPodInfo& a, const QueuedPodInfo& b) const {
  if (fallback_ != nullptr && fallback_->instance().queue_sort != nullptr) {
    return fallback_->instance().queue_sort->Less(a, b);
  }
  const int32_t priority_a = (*a.pod)->priority();
  const int32_t priority_b = (*b.pod)->priority();
  return priority_a != priority_b ? priority_a > priority_b : a.queued < b.queued;
}

const std::optional<wire::SortKey>& RemoteQueueSort::KeyOf(const PodInfo& pod) const {
  const std::string& uid = pod->meta.uid;
  auto it = recent_.find(uid);
  if (it == recent_.end()) {
    if (recent_.size() >= kGeneration) older_ = std::exchange(recent_, {});
    if (auto node = older_.extract(uid); !node.empty()) {
      it = recent_.insert(std::move(node)).position;
    } else {
      it = recent_.try_emplace(uid).first;
    }
  }
  Known& known = it->second;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  if (known.pod != pod.pod || (!known.key && now() - known.asked >= kAskAgain)) {
    known.pod = pod.pod;
    Result<wire::SortKey> key = Ask(pod);
    known.key = key ? std::optional(*std::move(key)) : std::nullopt;
    known.asked = now();
  }
  return known.key;
}

Result<wire::SortKey> RemoteQueueSort::Ask(const PodInfo& pod) const {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(0));
  draft.call.mutable_sort_key()->add_pods(calls_.IdOf(pod));
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, calls_.Ask("QueueSort", draft, ProblemOfKeys));
  return answer.sort_key().keys(0);
}

}  // namespace berth::remote
