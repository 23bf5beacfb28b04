// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/cluster_event.h"
#include "framework/extension_points/queue_sort.h"
#include "framework/nominator.h"
#include "queue/change_events.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::metrics {
class SchedulerMetrics;
}

namespace berth::queue {

struct QueueOptions {
  Duration initial_backoff = std::chrono::seconds(1);
  Duration max_backoff = std::chrono::seconds(10);
  Duration max_unschedulable = std::chrono::minutes(5);  // then a pod is tried again whatever happened
  // SchedulerPopFromBackoffQ: when no pod is active, one that backs off is tried early. It has passed PreEnqueue when
  // it began to back off; without this it is asked when its penalty is over.
  bool pop_from_backoff = true;
  // SchedulerQueueingHints: plugins say which events help which pods. Without them every event that a plugin registered
  // for wakes all pods it rejected, every update of a pod but of its status wakes it, and a pod comes back to backoff
  // when anything at all has happened during its attempt.
  bool hints = true;
  ChangeRules changes = {};
};

// A change that may wake pods. Either object may be null.
struct WakingChange {
  framework::ClusterEvent event;
  const api::Object* before = nullptr;
  const api::Object* after = nullptr;
  // Wakes only pods of at most this priority.
  std::optional<int32_t> max_priority = std::nullopt;
  // Never wakes the pod of this uid: the one that gave up the node it had taken.
  std::string_view except = {};
};

// The pods that wait to be scheduled: ready, backing off, or waiting for an event that could help. A pod is in exactly
// one place. Rules, order and windows are upstream's; events find the pods they could help through an index by the
// plugins that rejected them, so that their cost does not grow with the pods that wait for something else.
//
// Engine thread only: there is nothing to lock. Time comes from the clock it is given.
class SchedulingQueue {
 public:
  // Everything lent outlives the queue; `metrics` may be null.
  SchedulingQueue(const QueueOptions& options, std::vector<QueueProfile> profiles,
                  const framework::QueueSortPlugin& order, framework::Nominator& nominator, const Clock& clock,
                  metrics::SchedulerMetrics* metrics);
  ~SchedulingQueue();
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
  // if the options say so.
  QueuedPodPtr Pop();
  // The pod in flight will not come back because of its rejectors: it goes on to be bound, or is gone.
  void Done(std::string_view uid);

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
  std::string_view LabelOf(const framework::ClusterEvent& event);
  // Makes pods ready at once, whatever they wait for, gates excepted. Pods in flight are tried again when they fail.
  void Activate(std::span<const std::string> uids);

  // Moves what time has made ready. To be called whenever NextTick has passed.
  void Tick();
  std::optional<Timestamp> NextTick() const;

  struct Sizes {
    size_t active = 0;
    size_t backoff = 0;
    size_t unschedulable = 0;
    size_t gated = 0;
    size_t in_flight = 0;
    size_t in_flight_events = 0;
  };
  Sizes sizes() const;
  // The pod, unless it is in flight or unknown.
  const QueuedPod* Find(std::string_view uid) const;
  Place PlaceOf(std::string_view uid) const;
  void ForEach(const std::function<void(const QueuedPod&)>& visit) const;
  const QueueProfile& profile(uint32_t index) const;
  int64_t scheduling_cycle() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::queue
