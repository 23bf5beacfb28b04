// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "framework/pod_info.h"
#include "metrics/scheduler_metrics.h"
#include "queue/event_interest.h"
#include "queue/requeueing.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth::queue {

// The pods that are being decided or bound, and the events that came meanwhile: those that came after a pod took off
// are weighed if it comes back. Events older than every pod in flight are forgotten. Engine thread only.
class InFlight {
 public:
  // `metrics` may be null.
  explicit InFlight(metrics::SchedulerMetrics* metrics) : metrics_(metrics) {}

  bool empty() const { return flights_.empty(); }
  size_t pods() const { return flights_.size(); }
  size_t events() const { return events_.size(); }
  bool Has(std::string_view uid) const { return started_.contains(uid); }
  // The pod as it was when it took off; null when it is not in flight.
  const framework::PodInfo* Find(std::string_view uid) const;

  // The pod is not in flight yet.
  void Start(framework::PodInfoPtr pod);
  // Forgets the pod; nothing happens when it is not in flight.
  void Finish(std::string_view uid);
  // Keeps the event for the pods in flight. Shares the objects, so that they stay until it is weighed.
  void Note(const Happening& happening);

  // What the events since the pod took off amount to, first come first asked; `judge` says it for one of them. None
  // when the pod is not in flight.
  template <typename JudgeOne>
  std::optional<Requeueing> Weigh(std::string_view uid, bool has_pending, JudgeOne judge) const {
    const auto started = started_.find(uid);
    if (started == started_.end()) return std::nullopt;
    Requeueing sum = Requeueing::Skip;
    for (auto event = FirstAfter(started->second); event != events_.end(); ++event) {
      const Requeueing one = judge(event->AsHappening());
      if (one == Requeueing::Skip) continue;
      if (one == Requeueing::Immediately || !has_pending) return one;
      sum = one;
    }
    return sum;
  }

 private:
  struct Event {
    uint64_t number = 0;
    const EventInterest* interest = nullptr;
    std::optional<api::Object> before;
    std::optional<api::Object> after;

    Happening AsHappening() const { return {*interest, before ? &*before : nullptr, after ? &*after : nullptr}; }
  };
  std::deque<Event>::const_iterator FirstAfter(uint64_t number) const;
  void Count(std::string_view label, int64_t delta);

  using Flights = std::map<uint64_t, framework::PodInfoPtr>;
  using Started = std::unordered_map<std::string_view, uint64_t>;

  metrics::SchedulerMetrics* metrics_;
  uint64_t next_number_ = 0;  // one sequence for take-offs and events
  Flights flights_;           // by when they took off
  Started started_;           // by uid, whose text the pod in flights_ holds
  std::vector<std::pair<Started::node_type, Flights::node_type>>
      spare_;                                                  // used again, so that a take-off costs nothing
  std::deque<Event> events_;                                   // by number
  std::unordered_map<std::string_view, size_t> event_counts_;  // by label
};

}  // namespace berth::queue
