// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/string_map.h"
#include "scheduler/inbox.h"
#include "scheduler/write_requests.h"
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::metrics {
class SchedulerMetrics;
}

namespace berth::scheduler {

struct OutboxOptions {
  size_t max_batch = 512;       // bindings in one transaction
  size_t max_bindings = 8'192;  // unanswered bindings before the engine stops deciding
  size_t max_events = 20'000;   // unwritten events before new ones are dropped, as upstream does
  int bind_tries = 5;           // then the pod goes back to the queue
  int write_tries = 10;         // for status and evictions
  Duration first_pause = std::chrono::milliseconds(10);
  Duration longest_pause = std::chrono::seconds(2);
  uint64_t seed = 1;  // of the jitter
};

// Writes what the engine decided: bindings first, many in one transaction, then statuses and evictions, then events.
// What the store refuses for now is tried again after a pause that doubles, with jitter; what it may or may not have
// done is looked up, except events, which nobody misses. Every binding is answered in the inbox exactly once.
//
// Requests come from any thread. Pump is for one thread at a time: a thread of its own, or a simulation's. The lock is
// never held during a call of the store.
class Outbox {
 public:
  Outbox(store::Store& store, Inbox& inbox, const Clock& clock, const OutboxOptions& options,
         metrics::SchedulerMetrics* metrics);

  // Writes that the attempt's pod is on its node. Answered by BindingFinished.
  void Bind(Attempt& attempt) BERTH_EXCLUDES(mutex_);
  // A later patch of the same pod is merged into one that is not written yet.
  void PatchStatus(StatusPatch patch) BERTH_EXCLUDES(mutex_);
  void Evict(EvictionRequest request) BERTH_EXCLUDES(mutex_);
  // True until the last eviction for this pod is about to be written: the deletion it then hears of wakes it.
  bool EvictsFor(std::string_view preemptor_uid) const BERTH_EXCLUDES(mutex_);
  void Record(EventNote note) BERTH_EXCLUDES(mutex_);
  // Writes one binding at once and waits for the outcome: for Bind plugins on the binding pool.
  Result<void> BindNow(const store::Binding& binding) BERTH_EXCLUDES(mutex_);
  // If BindNow could not find out what became of the pod's binding, goes on finding out, answers as Bind does, and says
  // true.
  bool SettleUnknown(Attempt& attempt) BERTH_EXCLUDES(mutex_);

  // True while so many bindings are unanswered that deciding more would only lengthen the line.
  bool full() const { return unanswered_.load(std::memory_order_relaxed) >= options_.max_bindings; }
  size_t unanswered() const { return unanswered_.load(std::memory_order_relaxed); }
  uint64_t dropped_events() const { return dropped_events_.load(std::memory_order_relaxed); }

  // Writes from now on carry this fence. Who leads no more keeps the fence he had, so that what he still has to write
  // is refused as soon as another leads. Without any, nobody else may schedule.
  void SetFence(store::Fence fence) BERTH_EXCLUDES(mutex_);
  // The fence with which a write was refused since the last call: its lease is somebody else's.
  std::optional<store::Fence> TakeRefused() BERTH_EXCLUDES(mutex_);

  // Writes what is due; says whether there was anything.
  bool Pump() BERTH_EXCLUDES(mutex_);
  // When Pump will next have something to do; none when nothing waits.
  std::optional<Timestamp> NextDue() const BERTH_EXCLUDES(mutex_);
  // Waits for a request, the deadline, or Close; says false once closed.
  bool WaitUntil(std::chrono::steady_clock::time_point deadline) BERTH_EXCLUDES(mutex_);
  void Close() BERTH_EXCLUDES(mutex_);

 private:
  template <typename T>
  struct Due {
    T request;
    int tries = 0;
    Timestamp not_before;
    bool look_first = false;  // its outcome is unknown
  };

  bool PumpBindings();
  bool PumpPatches();
  bool PumpEvictions();
  bool PumpEvents();
  void WriteBindings(std::span<Due<Attempt*>> batch);
  void LookUpBinding(const Due<Attempt*>& due);
  void Answer(Attempt* attempt, framework::Status status);
  void RetryBinding(Due<Attempt*> due, const Error& error, bool look_first) BERTH_EXCLUDES(mutex_);
  // Whether the patch is settled: written, needless, or for a pod that is gone.
  Result<bool> WritePatch(const StatusPatch& patch);
  // Whether the pod went by this very call; false when it was gone before.
  Result<bool> WriteEviction(const EvictionRequest& request);
  void CountEviction(const std::string& preemptor_uid, int change) BERTH_EXCLUDES(mutex_);
  store::Operation CreateEvent(const EventNote& note);
  Duration Pause(int tries);
  // True when the moment has come, and when it is further ahead than any pause: then the clock was set back since.
  bool IsDue(Timestamp not_before, Timestamp now) const {
    return not_before <= now || not_before - now > options_.longest_pause;
  }
  std::optional<store::Fence> fence() const BERTH_EXCLUDES(mutex_);
  // Remembers the fence when that is why the write failed.
  void NoteRefusal(const Error& error, const std::optional<store::Fence>& fence) BERTH_EXCLUDES(mutex_);

  store::Store& store_;
  Inbox& inbox_;
  const Clock& clock_;
  const OutboxOptions options_;
  metrics::SchedulerMetrics* const metrics_;
  Rng rng_;                             // Pump's thread
  std::vector<Due<Attempt*>> in_hand_;  // Pump's thread: taken from bindings_; the two swap their buffers
  uint64_t event_sequence_ = 0;         // Pump's thread
  int events_tries_ = 0;                // Pump's thread: how often in a row events could not be written

  std::atomic<size_t> unanswered_ = 0;
  std::atomic<uint64_t> dropped_events_ = 0;
  std::atomic<bool> has_refused_ = false;

  mutable Mutex mutex_;
  CondVar arrived_;
  std::vector<Due<Attempt*>> bindings_ BERTH_GUARDED_BY(mutex_);
  std::vector<Due<Attempt*>> delayed_bindings_ BERTH_GUARDED_BY(mutex_);
  std::list<Due<StatusPatch>> patches_ BERTH_GUARDED_BY(mutex_);
  StringMap<std::list<Due<StatusPatch>>::iterator> patch_of_pod_ BERTH_GUARDED_BY(mutex_);  // by uid
  std::deque<Due<EvictionRequest>> evictions_ BERTH_GUARDED_BY(mutex_);
  StringMap<size_t> evictions_for_ BERTH_GUARDED_BY(mutex_);  // unwritten, by preemptor
  std::deque<EventNote> events_ BERTH_GUARDED_BY(mutex_);
  Timestamp events_not_before_ BERTH_GUARDED_BY(mutex_);
  std::optional<store::Fence> fence_ BERTH_GUARDED_BY(mutex_);
  std::optional<store::Fence> refused_ BERTH_GUARDED_BY(mutex_);
  StringSet unknown_bindings_ BERTH_GUARDED_BY(mutex_);  // by uid: written by BindNow, perhaps
  bool requested_ BERTH_GUARDED_BY(mutex_) = false;      // since the last wait
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
};

}  // namespace berth::scheduler
