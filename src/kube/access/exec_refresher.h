// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "kube/access/cluster_access.h"
#include "kube/access/exec_plugin.h"
#include "kube/access/surroundings.h"
#include "log/logger.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace berth::kube {

// How often a plugin is run, and who waits for it.
struct ExecPace {
  // A new credential is fetched this long before the old one expires, or in the last fifth of its life if that is less.
  Duration ahead = std::chrono::minutes(1);
  // Between runs that no expiry asks for: many requests do not run a plugin that fails, or whose credential is
  // rejected, many times.
  Duration pause = std::chrono::seconds(5);
  // Once there has been a first run, nobody waits for one that has been going on for longer.
  Duration patience = std::chrono::seconds(5);
};

// What one run of the plugin gave.
struct FetchedCredential {
  std::shared_ptr<const ExecCredential> credential = {};
  uint64_t run = 0;  // later ones have greater numbers
};

// Has a plugin run when its credential is needed, on a thread of its own, so that the old credential serves meanwhile.
// Any thread.
class ExecRefresher {
 public:
  // The clock, and what `log` writes to, outlive this.
  ExecRefresher(ExecPlugin plugin, Surroundings surroundings, const Clock& clock, log::Logger log, ExecLimits limits,
                ExecPace pace);
  ~ExecRefresher();  // kills a plugin that runs
  ExecRefresher(const ExecRefresher&) = delete;
  ExecRefresher& operator=(const ExecRefresher&) = delete;

  // What is to be used now. With nothing at hand that is valid this waits for the plugin: the first time up to its time
  // limit, later as the pace says.
  Result<FetchedCredential> Current() BERTH_EXCLUDES(mutex_);
  // The server did not accept what the run gave.
  void Reject(uint64_t run) BERTH_EXCLUDES(mutex_);

 private:
  bool IsExpired(Timestamp now) const BERTH_REQUIRES(mutex_) { return valid_until_ && now > *valid_until_; }
  bool IsValid(Timestamp now) const BERTH_REQUIRES(mutex_) {
    return fetched_.credential != nullptr && !rejected_ && !IsExpired(now);
  }
  bool IsRunDue(Timestamp now, Duration steady) const BERTH_REQUIRES(mutex_);
  void StartRun() BERTH_REQUIRES(mutex_);
  void AwaitRun() BERTH_REQUIRES(mutex_);
  // On the thread.
  void Run() BERTH_EXCLUDES(mutex_);
  void Complain(const std::string& why, Timestamp now) BERTH_EXCLUDES(mutex_);
  void Take(ExecCredential credential, Timestamp now) BERTH_REQUIRES(mutex_);

  const ExecPlugin plugin_;
  const Surroundings surroundings_;
  const Clock& clock_;
  const log::Logger log_;
  const ExecLimits limits_;
  const ExecPace pace_;
  std::atomic<bool> stopped_ = false;

  Mutex mutex_;
  CondVar run_ended_;
  FetchedCredential fetched_ BERTH_GUARDED_BY(mutex_);  // the latest
  bool rejected_ BERTH_GUARDED_BY(mutex_) = false;
  std::optional<Timestamp> valid_until_ BERTH_GUARDED_BY(mutex_);  // nothing: for ever
  std::optional<Timestamp> refresh_at_ BERTH_GUARDED_BY(mutex_);
  std::optional<Error> failure_ BERTH_GUARDED_BY(mutex_);        // of the latest run
  std::optional<Duration> last_ended_ BERTH_GUARDED_BY(mutex_);  // steady
  uint64_t runs_ BERTH_GUARDED_BY(mutex_) = 0;                   // begun
  bool running_ BERTH_GUARDED_BY(mutex_) = false;
  bool failing_ BERTH_GUARDED_BY(mutex_) = false;                         // it is logged already
  std::chrono::steady_clock::time_point began_ BERTH_GUARDED_BY(mutex_);  // the run under way
  std::thread thread_ BERTH_GUARDED_BY(mutex_);                           // of the latest run
};

}  // namespace berth::kube
