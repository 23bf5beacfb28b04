// SPDX-License-Identifier: Apache-2.0
#include "kube/access/exec_refresher.h"

#include "base/thread_name.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {

ExecRefresher::ExecRefresher(ExecPlugin plugin, Surroundings surroundings, const Clock& clock, log::Logger log,
                             ExecLimits limits, ExecPace pace)
    : plugin_(std::move(plugin)),
      surroundings_(std::move(surroundings)),
      clock_(clock),
      log_(std::move(log)),
      limits_(limits),
      pace_(pace) {}

ExecRefresher::~ExecRefresher() {
  stopped_ = true;
  std::thread last;
  {
    const MutexLock lock(mutex_);
    last = std::move(thread_);
  }
  if (last.joinable()) last.join();
}

Result<FetchedCredential> ExecRefresher::Current() {
  const Timestamp now = clock_.Now();
  const Duration steady = clock_.Steady();
  const MutexLock lock(mutex_);
  if (IsRunDue(now, steady)) StartRun();
  if (running_ && !IsValid(now)) AwaitRun();
  if (IsValid(now)) return fetched_;
  if (failure_) return *failure_;
  if (running_) {
    return Error{ErrorCode::Timeout,
                 fmt::format("getting credentials: exec: executable {} is still running", plugin_.command)};
  }
  // It was rejected as soon as it was fetched: another would fare no better.
  return fetched_;
}

void ExecRefresher::Reject(uint64_t run) {
  const MutexLock lock(mutex_);
  if (run == fetched_.run) rejected_ = true;
}

bool ExecRefresher::IsRunDue(Timestamp now, Duration steady) const {
  if (running_) return false;
  if (!failure_ && IsExpired(now)) return true;
  if (last_ended_ && steady - *last_ended_ < pace_.pause) return false;
  return !IsValid(now) || (refresh_at_ && now >= *refresh_at_);
}

void ExecRefresher::StartRun() {
  if (thread_.joinable()) thread_.join();  // its run is over: it does not want the mutex any more
  running_ = true;
  ++runs_;
  failure_.reset();
  began_ = std::chrono::steady_clock::now();
  thread_ = std::thread([this] { Run(); });
}

// Nothing works before the first run has ended, and a user may have to log in: only its own limit counts.
void ExecRefresher::AwaitRun() {
  const uint64_t awaited = runs_;
  while (running_ && runs_ == awaited) {
    if (!last_ended_) {
      run_ended_.Wait(mutex_);
    } else if (!run_ended_.WaitUntil(mutex_, began_ + pace_.patience)) {
      return;
    }
  }
}

void ExecRefresher::Run() {
  NameThread("berth-exec");
  Result<ExecCredential> credential = RunExecPlugin(plugin_, surroundings_, limits_, &stopped_);
  const Timestamp now = clock_.Now();
  const Duration steady = clock_.Steady();
  if (!credential) Complain(credential.error().message, now);
  const MutexLock lock(mutex_);
  if (credential) {
    Take(*std::move(credential), now);
  } else {
    failure_ = Error{credential.error().code, fmt::format("getting credentials: {}", credential.error().message)};
  }
  last_ended_ = steady;
  running_ = false;
  run_ended_.NotifyAll();
}

// With nothing at hand that is valid, the requests that fail tell of it.
void ExecRefresher::Complain(const std::string& why, Timestamp now) {
  {
    const MutexLock lock(mutex_);
    if (stopped_ || !IsValid(now) || std::exchange(failing_, true)) return;
  }
  log_.Error("Unable to fetch new credentials, the old ones are used until they expire", {{"err", why}});
}

void ExecRefresher::Take(ExecCredential credential, Timestamp now) {
  const std::optional<Timestamp> expires = credential.expires;
  fetched_ = {std::make_shared<const ExecCredential>(std::move(credential)), runs_};
  rejected_ = false;
  failing_ = false;
  valid_until_.reset();
  refresh_at_.reset();
  if (!expires) return;
  // One that has expired when it comes may still be good, as clocks differ: it is tried, but not for long.
  valid_until_ = *expires < now ? now + pace_.pause : *expires;
  refresh_at_ = *valid_until_ - std::min<Duration>(pace_.ahead, (*valid_until_ - now) / 5);
}

}  // namespace berth::kube
