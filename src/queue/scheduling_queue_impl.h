// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/backoff.h"
#include "queue/event_interest.h"
#include "queue/in_flight.h"
#include "queue/known_pods.h"
#include "queue/pod_line.h"
#include "queue/pre_enqueue_gates.h"
#include "queue/requeueing.h"
#include "queue/scheduling_queue.h"
#include "queue/waiting_index.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::queue {

// The parts of the queue and how pods move between them. scheduling_queue.cc has what comes from outside,
// queue_returns.cc pods that come back, queue_moves.cc the moves, queue_flushes.cc what time does.
class SchedulingQueue::Impl {
 public:
  Impl(const QueueOptions& options, std::vector<QueueProfile> profiles, const framework::QueueSortPlugin& order,
       framework::Nominator& nominator, const Clock& clock, metrics::SchedulerMetrics* metrics);

  std::optional<uint32_t> ProfileFor(std::string_view scheduler_name) const;
  void Add(framework::PodInfoPtr pod);
  void Update(const framework::PodInfoPtr& before, framework::PodInfoPtr after);
  void Remove(std::string_view uid);
  QueuedPodPtr Pop();
  void Done(std::string_view uid) { in_flight_.Finish(uid); }
  Place Return(QueuedPodPtr pod, const FailedAttempt& failure);
  void Wake(const WakingChange& change);
  std::string_view LabelOf(const framework::ClusterEvent& event) { return interests_.Of(event).label; }
  void Activate(std::span<const std::string> uids);
  void Tick();
  std::optional<Timestamp> NextTick() const;
  Sizes sizes() const;
  const QueuedPod* Find(std::string_view uid) const { return known_.Find(uid); }
  Place PlaceOf(std::string_view uid) const;
  void ForEach(const std::function<void(const QueuedPod&)>& visit) const;
  const QueueProfile& profile(uint32_t index) const { return profiles_[index]; }
  int64_t scheduling_cycle() const { return scheduling_cycle_; }

 private:
  // QueueSort's order. Ties are broken by arrival, because pods may arrive faster than the clock ticks.
  struct QueueSortOrder {
    const framework::QueueSortPlugin* plugin;
    bool operator()(const QueuedPod& a, const QueuedPod& b) const {
      if (plugin->Less(a, b)) return true;
      if (plugin->Less(b, a)) return false;
      return a.arrival < b.arrival;
    }
  };
  // By the end of the penalty. If penalties end at whole seconds, pods of the same second are in QueueSort order.
  struct BackoffOrder {
    QueueSortOrder then;
    bool in_seconds;
    bool operator()(const QueuedPod& a, const QueuedPod& b) const {
      if (a.backoff_until != b.backoff_until) return a.backoff_until < b.backoff_until;
      return in_seconds ? then(a, b) : a.arrival < b.arrival;
    }
  };
  struct ErrorBackoffOrder {
    bool operator()(const QueuedPod& a, const QueuedPod& b) const {
      return a.backoff_until != b.backoff_until ? a.backoff_until < b.backoff_until : a.arrival < b.arrival;
    }
  };

  // Moves. A pod that is to move has been taken from its place first, and is in none.
  void TakeFromPlace(QueuedPod& pod);
  void PutInLine(QueuedPod& pod, Place place);
  bool MoveToActive(QueuedPod& pod, std::string_view label, bool from_backoff);
  bool MoveToBackoff(QueuedPod& pod, std::string_view label);
  // To Active or Backoff; false when it is gated.
  bool Requeue(QueuedPod& pod, Requeueing requeueing, std::string_view label);
  // Puts the pod among the waiting pods. `arrives` is false if it was there before and does not count as incoming.
  void Park(QueuedPod& pod, std::string_view label, bool arrives);
  void RequeueWoken(const std::vector<WaitingIndex::Woken>& woken, std::string_view label);
  bool ActivateOne(std::string_view uid);
  void UpdateInLine(QueuedPod& pod, framework::PodInfoPtr after);
  void UpdateWaiting(QueuedPod& pod, const framework::PodInfoPtr& before, framework::PodInfoPtr after);

  void AddNew(framework::PodInfoPtr pod, std::string_view label);
  void Stamp(QueuedPod& pod);
  void SetRejectors(QueuedPod& pod, const FailedAttempt& failure);
  size_t PluginIndex(uint32_t profile, const std::string& name);
  void NominateByStatus(const framework::PodInfoPtr& pod);
  void UpdateNomination(const api::Pod& before, const framework::PodInfoPtr& after);

  void FlushBackoff(Timestamp now);
  void FlushWaiting(Timestamp now);
  std::optional<Timestamp> NextWaitingFlush() const;

  void CountIncoming(metrics::QueueName queue, std::string_view label);
  void ReportSizes();

  QueueOptions options_;
  std::vector<QueueProfile> profiles_;
  framework::Nominator& nominator_;
  const Clock& clock_;
  metrics::SchedulerMetrics* metrics_;

  EventInterestTable interests_;
  HintJudge judge_;
  PreEnqueueGates gates_;
  Backoff backoff_;
  std::string add_label_;
  std::string update_label_;

  KnownPods known_;
  PodLine<QueueSortOrder> active_;
  PodLine<BackoffOrder> backing_off_;
  PodLine<ErrorBackoffOrder> after_error_;
  WaitingIndex waiting_{interests_};
  size_t gated_ = 0;  // of the waiting pods
  InFlight in_flight_;

  uint64_t arrivals_ = 0;
  int64_t scheduling_cycle_ = 0;
  Timestamp next_waiting_flush_;
  Timestamp idle_since_ = Timestamp::max();  // no waiting pod has been idle for longer than since then
  Sizes reported_;
};

}  // namespace berth::queue
