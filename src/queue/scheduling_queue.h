// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/pod.h"
#include "base/bitset.h"
#include "base/clock.h"
#include "framework/cluster_event.h"
#include "framework/extension_points/queue_sort.h"
#include "framework/nominator.h"
#include "queue/event_interest.h"
#include "queue/in_flight.h"
#include "queue/pre_enqueue_gates.h"
#include "queue/queue_flushes.h"
#include "queue/queue_metrics.h"
#include "queue/queue_moves.h"
#include "queue/queue_options.h"
#include "queue/queue_places.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod.h"
#include "queue/requeueing.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::queue {

// A change that may wake pods. Either object may be null.
struct WakingChange {
  framework::ClusterEvent event;
  const api::Object* before = nullptr;
  const api::Object* after = nullptr;
  // Wakes only pods of at most this priority.
  std::optional<int32_t> max_priority = std::nullopt;
  // Never wakes the pod of this uid: the one that gave up the node it had taken.
  std::string_view except = {};
  // Wakes only pods for which this holds; empty: all.
  std::function<bool(const framework::PodInfo&)> only = {};
};

// The pods that wait to be scheduled: ready, backing off, or waiting for an event that could help. A pod is in exactly
// one place. Rules, order and windows are upstream's; events find the pods they could help through an index by the
// plugins that rejected them, so that their cost does not grow with the pods that wait for something else.
//
// This class takes what comes from outside: QueuePlaces holds the pods, QueueMoves decides where one goes, QueueFlushes
// moves those whose time has come.
//
// Engine thread only: there is nothing to lock. Time comes from the clock it is given.
class SchedulingQueue {
 public:
  // Everything lent outlives the queue; `metrics` may be null.
  SchedulingQueue(const QueueOptions& options, std::vector<QueueProfile> profiles,
                  const framework::QueueSortPlugin& order, framework::Nominator& nominator, const Clock& clock,
                  metrics::SchedulerMetrics* metrics, TrackOf track_of = {});
  SchedulingQueue(const SchedulingQueue&) = delete;
  SchedulingQueue& operator=(const SchedulingQueue&) = delete;

  // Whether a profile serves pods of this scheduler name; the index to the profiles.
  std::optional<uint32_t> ProfileFor(std::string_view scheduler_name) const;

  // A pod without a node, of a scheduler name that a profile serves. A known pod is left as it is.
  void Add(framework::PodInfoPtr pod);
  // A pod in flight keeps its place; the change may still bring it back sooner. An unknown pod is added.
  void Update(const framework::PodInfoPtr& before, framework::PodInfoPtr after);
  void Remove(std::string_view uid);

  // The next pod to try, now in flight; null when none is ready. When no pod is active, takes one that backs off,
  // if the options say so. Pods of `closed` tracks are passed over.
  QueuedPodPtr Pop(const Bitset& closed = {});
  // The pod in flight will not come back because of its rejectors: it goes on to be bound, or is gone.
  void Done(std::string_view uid) { in_flight_.Finish(uid); }

  // How an attempt failed, for Return.
  struct FailedAttempt {
    bool error = false;  // not a verdict but a malfunction: no rejectors, error backoff
    std::span<const std::string> rejectors;
    std::span<const std::string> pending;
  };
  // Takes a pod back after a failed attempt; events that came while it was in flight are weighed first. `pod` carries
  // its newest PodInfo. Says where it went.
  Place Return(QueuedPodPtr pod, const FailedAttempt& failure);

  // Wakes the pods that the change could help.
  void Wake(const WakingChange& change);
  // As metrics name the event; lives as long as the queue.
  std::string_view LabelOf(const framework::ClusterEvent& event) { return interests_.Of(event).label; }
  // Makes pods ready at once, whatever they wait for, gates excepted. Pods in flight are tried again when they fail.
  void Activate(std::span<const std::string> uids);

  // Moves what time has made ready. To be called whenever NextTick has passed.
  void Tick();
  std::optional<Timestamp> NextTick() const { return flushes_.NextFlush(); }

  struct Sizes : QueuePlaces::Sizes {
    size_t in_flight = 0;
    size_t in_flight_events = 0;
  };
  Sizes sizes() const { return {places_.sizes(), in_flight_.pods(), in_flight_.events()}; }
  // The pod, unless it is in flight or unknown.
  const QueuedPod* Find(std::string_view uid) const { return places_.Find(uid); }
  Place PlaceOf(std::string_view uid) const;
  // In the order in which they arrived; none that is in flight.
  void ForEach(const std::function<void(const QueuedPod&)>& visit) const { places_.ForEach(visit); }
  const QueueProfile& profile(uint32_t index) const { return profiles_[index]; }
  int64_t scheduling_cycle() const { return scheduling_cycle_; }

 private:
  void AddNew(framework::PodInfoPtr pod, std::string_view label);
  void UpdateInFlight(const std::shared_ptr<const api::Pod>& before, const std::shared_ptr<const api::Pod>& after);
  void UpdateInLine(QueuedPod& pod, framework::PodInfoPtr after);
  void UpdateWaiting(QueuedPod& pod, const framework::PodInfoPtr& before, framework::PodInfoPtr after);
  void SetRejectors(QueuedPod& pod, const FailedAttempt& failure);
  size_t PluginIndex(uint32_t profile, const std::string& name);
  bool ActivateOne(std::string_view uid);

  QueueOptions options_;
  std::vector<QueueProfile> profiles_;
  framework::Nominator& nominator_;
  const Clock& clock_;

  EventInterestTable interests_;
  HintJudge judge_;
  PreEnqueueGates gates_;
  QueueMetrics metrics_;
  QueuePlaces places_;
  QueueMoves moves_;
  InFlight in_flight_;
  QueueFlushes flushes_;
  int64_t scheduling_cycle_ = 0;
};

}  // namespace berth::queue
