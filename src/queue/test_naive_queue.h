// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"
#include "framework/nominator.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod.h"
#include "queue/scheduling_queue.h"

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace berth::queue::test {

// The queue without any of its cleverness: every pod is kept in one map, every event is put to every pod that waits,
// and the next pod is sought among all. Slow, and simple enough to be believed.
class NaiveQueue {
 public:
  struct Pod {
    framework::PodInfoPtr info;
    uint32_t profile = 0;
    Place place = Place::None;
    std::set<std::string> rejectors;
    std::set<std::string> pending;
    std::string gating;
    Timestamp queued;
    uint64_t arrival = 0;
    int attempts = 0;
    uint32_t unschedulable_count = 0;
    uint32_t error_count = 0;
    std::optional<Timestamp> first_attempt;
    std::optional<Timestamp> flushed;
    bool was_flushed = false;
  };

  NaiveQueue(const QueueOptions& options, const std::vector<QueueProfile>& profiles,
             const framework::QueueSortPlugin& order, framework::Nominator& nominator, const Clock& clock)
      : options_(options), profiles_(profiles), order_(order), nominator_(nominator), clock_(clock) {}

  void Add(framework::PodInfoPtr pod);
  void Update(const framework::PodInfoPtr& before, framework::PodInfoPtr after);
  void Remove(const std::string& uid);
  // The uid of the next pod; empty when there is none.
  std::string Pop();
  void Done(const std::string& uid);
  void Return(const std::string& uid, framework::PodInfoPtr newest, const SchedulingQueue::FailedAttempt& failure);
  void Wake(const WakingChange& change);
  void Activate(const std::string& uid);
  void FlushBackoff();
  void FlushWaiting();

  const std::map<std::string, Pod>& pods() const { return pods_; }
  size_t in_flight_events() const;

 private:
  struct Entry {
    std::string marker;  // the uid of a pod that took off; empty when this is an event
    framework::ClusterEvent event;
    std::optional<api::Object> before;
    std::optional<api::Object> after;
  };
  enum class Hint : uint8_t { Skip, AfterBackoff, Immediately };

  static bool IsWildCard(const framework::ClusterEvent& event);
  static bool Waits(const Pod& pod) { return pod.place == Place::Unschedulable || pod.place == Place::Gated; }
  bool Interests(const framework::ClusterEvent& event) const;
  bool InterestsGate(const std::string& plugin, const framework::ClusterEvent& event) const;
  Hint Worth(const Pod& pod, const framework::ClusterEvent& event, const api::Object* before,
             const api::Object* after) const;
  void RunPreEnqueue(Pod& pod) const;
  void Move(const std::vector<Pod*>& pods, const framework::ClusterEvent& event, const api::Object* before,
            const api::Object* after);
  bool ToActive(Pod& pod, const std::string& label, bool from_backoff);
  bool ToBackoff(Pod& pod);
  bool Requeue(Pod& pod, Hint hint, const std::string& label);
  Timestamp BackoffEnd(const Pod& pod) const;
  bool BacksOff(const Pod& pod) const;
  void UpdateNomination(const api::Pod& before, const framework::PodInfoPtr& after);
  bool Before(const Pod& a, const Pod& b) const;

  QueueOptions options_;
  const std::vector<QueueProfile>& profiles_;
  const framework::QueueSortPlugin& order_;
  framework::Nominator& nominator_;
  const Clock& clock_;
  std::map<std::string, Pod> pods_;  // by uid, those in flight as well
  std::list<Entry> in_flight_;
  uint64_t arrivals_ = 0;
};

}  // namespace berth::queue::test
