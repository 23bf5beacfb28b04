// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

namespace berth::scheduler {

struct LeadershipOptions {
  std::string lease = "kube-scheduler";
  std::string holder;
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);  // without a renewal for so long, the lead is given up
  Duration retry_period = std::chrono::seconds(2);
};

// Holds the lease that says which of several schedulers schedules. What the leader writes carries the lease's token, so
// a leader that was replaced without noticing writes nothing.
//
// Pump and NextDue are for one thread; the rest for any.
class Leadership {
 public:
  Leadership(store::Store& store, const Clock& clock, LeadershipOptions options);

  // Takes or renews the lease when it is time to; says whether who leads has changed.
  bool Pump() BERTH_EXCLUDES(mutex_);
  std::optional<Timestamp> NextDue() const { return next_; }
  // Gives the lease back, so that another can take it at once.
  void Release() BERTH_EXCLUDES(mutex_);
  // The store refused a write with this fence: if it is the present one, the lease is somebody else's.
  void Lose(const store::Fence& refused) BERTH_EXCLUDES(mutex_);

  bool leads() const { return token() != 0; }
  // The revision since which nobody else's writes are accepted: who has not seen the store up to there does not know
  // what the leader before has done. 0 for who does not lead.
  store::Revision token() const { return token_.load(std::memory_order_relaxed); }
  std::optional<store::Fence> fence() const BERTH_EXCLUDES(mutex_);

 private:
  bool Set(std::optional<store::Lease> lease) BERTH_EXCLUDES(mutex_);

  store::Store& store_;
  const Clock& clock_;
  const LeadershipOptions options_;
  std::optional<Timestamp> next_;  // Pump's thread
  Timestamp renewed_;              // Pump's thread
  std::atomic<store::Revision> token_ = 0;
  mutable Mutex mutex_;
  std::optional<store::Lease> lease_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::scheduler
