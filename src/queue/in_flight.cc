// SPDX-License-Identifier: Apache-2.0
#include "queue/in_flight.h"

#include "base/check.h"
#include "framework/node_info.h"

#include <algorithm>
#include <utility>

namespace berth::queue {
namespace {

// Pods in flight are counted among the events, as upstream does.
constexpr std::string_view kPodPopped = "PodPopped";

}  // namespace

const framework::PodInfo* InFlight::Find(std::string_view uid) const {
  const auto started = started_.find(uid);
  return started == started_.end() ? nullptr : flights_.at(started->second).get();
}

void InFlight::Start(framework::PodInfoPtr pod) {
  const uint64_t number = next_number_++;
  const std::string_view uid = framework::PodUid(*pod->pod);
  bool added = false;
  if (spare_.empty()) {
    added = started_.emplace(uid, number).second;
    flights_.emplace_hint(flights_.end(), number, std::move(pod));
  } else {
    auto [started, flight] = std::move(spare_.back());
    spare_.pop_back();
    started.key() = uid;
    started.mapped() = number;
    added = started_.insert(std::move(started)).inserted;
    flight.key() = number;
    flight.mapped() = std::move(pod);
    flights_.insert(flights_.end(), std::move(flight));
  }
  BERTH_CHECK(added);
  Count(kPodPopped, +1);
}

void InFlight::Finish(std::string_view uid) {
  const auto started = started_.find(uid);
  if (started == started_.end()) return;
  const auto flight = flights_.find(started->second);
  const framework::PodInfoPtr pod = std::move(flight->second);  // holds the key of `started`
  constexpr size_t kMaxSpare = 1'024;
  if (spare_.size() < kMaxSpare) {
    spare_.emplace_back(started_.extract(started), flights_.extract(flight));
  } else {
    started_.erase(started);
    flights_.erase(flight);
  }
  while (!events_.empty() && (flights_.empty() || events_.front().number < flights_.begin()->first)) {
    Count(events_.front().interest->label, -1);
    events_.pop_front();
  }
  Count(kPodPopped, -1);
}

void InFlight::Note(const Happening& happening) {
  if (flights_.empty()) return;
  const auto copy = [](const api::Object* object) {
    return object == nullptr ? std::nullopt : std::optional<api::Object>(*object);
  };
  events_.push_back({next_number_++, &happening.interest, copy(happening.before), copy(happening.after)});
  Count(happening.interest.label, +1);
}

std::deque<InFlight::Event>::const_iterator InFlight::FirstAfter(uint64_t number) const {
  return std::upper_bound(events_.begin(), events_.end(), number,
                          [](uint64_t wanted, const Event& event) { return wanted < event.number; });
}

void InFlight::Count(std::string_view label, int64_t delta) {
  if (metrics_ == nullptr) return;
  size_t& count = event_counts_[label];
  count = static_cast<size_t>(static_cast<int64_t>(count) + delta);
  metrics_->SetInFlightEvents(label, count);
}

}  // namespace berth::queue
