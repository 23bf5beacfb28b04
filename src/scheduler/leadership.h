// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "home/home.h"
#include "log/logger.h"
#include "scheduler/problems.h"

#include <atomic>
#include <chrono>
#include <memory>
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

// Holds the lease that says which of several schedulers schedules. The lead has a deadline of its own: it ends by
// itself when no renewal succeeds in time, even while a call hangs, and before another can take the lease over.
// Everything the leader writes, except events, is checked against the lease and that deadline, so a scheduler that was
// replaced without noticing changes nothing.
//
// Pump and NextDue are for one thread; the rest for any.
class Leadership {
 public:
  // Everything lent outlives this. The logger is told who leads; `problems`, which may be null, what goes wrong.
  Leadership(home::Leases& leases, const Clock& clock, LeadershipOptions options, log::Logger log = {},
             Problems* problems = nullptr);

  // Takes or renews the lease when it is time to; says whether who leads has changed. May block.
  bool Pump() BERTH_EXCLUDES(mutex_);
  std::optional<Timestamp> NextDue() const { return next_; }
  // Gives the lease back, so that another can take it at once.
  void Release() BERTH_EXCLUDES(mutex_);
  // A write under these terms was refused: if they are the present lease's, it is somebody else's.
  void Lose(const home::WriteTerms& refused) BERTH_EXCLUDES(mutex_);

  // By what right to write now; null for whoever does not lead.
  std::shared_ptr<const home::WriteTerms> terms() const BERTH_EXCLUDES(mutex_);
  bool leads() const { return terms() != nullptr; }
  // Of the latest attempt to take or renew the lease; empty: it succeeded.
  std::string last_error() const BERTH_EXCLUDES(mutex_);

 private:
  bool Set(std::optional<store::Lease> lease, Duration asked) BERTH_EXCLUDES(mutex_);
  // Whatever was decided under the lease is not to be written any more.
  void Revoke() BERTH_REQUIRES(mutex_);
  void Tell(const Result<store::Lease>& lease, bool was_held);

  home::Leases& leases_;
  const Clock& clock_;
  const LeadershipOptions options_;
  const log::Logger log_;
  Problems* const problems_;       // may be null
  std::optional<Timestamp> next_;  // Pump's thread
  mutable Mutex mutex_;
  std::optional<store::Lease> lease_ BERTH_GUARDED_BY(mutex_);
  std::shared_ptr<const home::WriteTerms> terms_ BERTH_GUARDED_BY(mutex_);
  std::shared_ptr<std::atomic<bool>> revoked_ BERTH_GUARDED_BY(mutex_);  // shared by all terms of one acquisition
  std::string last_error_ BERTH_GUARDED_BY(mutex_);
  bool waits_ = false;  // it was logged that another leads; Pump's thread
};

}  // namespace berth::scheduler
