// SPDX-License-Identifier: Apache-2.0
#include "scheduler/leadership.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

Leadership::Leadership(store::Store& store, const Clock& clock, LeadershipOptions options)
    : store_(store), clock_(clock), options_(std::move(options)) {}

bool Leadership::Pump() {
  const Timestamp now = clock_.Now();
  // A moment further ahead than the period was set before the clock was set back.
  if (next_ && now < *next_ && *next_ - now <= options_.retry_period) return false;
  renewed_ = std::min(renewed_, now);
  next_ = now + options_.retry_period;
  std::optional<store::Lease> held;
  {
    const MutexLock lock(mutex_);
    held = lease_;
  }
  Result<store::Lease> lease = held ? store_.RenewLease(*held, options_.lease_duration)
                                    : store_.AcquireLease(options_.lease, options_.holder, options_.lease_duration);
  if (lease) {
    renewed_ = now;
    return Set(*std::move(lease));
  }
  // A store that cannot be reached may answer again before the lease runs out.
  const bool may_hold_on = held && lease.error().code != ErrorCode::Fenced && now - renewed_ < options_.renew_deadline;
  return may_hold_on ? false : Set(std::nullopt);
}

bool Leadership::Set(std::optional<store::Lease> lease) {
  const MutexLock lock(mutex_);
  lease_ = std::move(lease);
  const store::Revision token = lease_ ? lease_->token : 0;
  return token_.exchange(token) != token;
}

void Leadership::Release() {
  std::optional<store::Lease> held;
  {
    const MutexLock lock(mutex_);
    held = std::exchange(lease_, std::nullopt);
    token_ = 0;
  }
  // If this fails the lease runs out by itself.
  if (held) static_cast<void>(store_.ReleaseLease(*held));
}

void Leadership::Lose(const store::Fence& refused) {
  const MutexLock lock(mutex_);
  if (!lease_ || lease_->token != refused.token) return;
  lease_ = std::nullopt;
  token_ = 0;
}

std::optional<store::Fence> Leadership::fence() const {
  const MutexLock lock(mutex_);
  if (!lease_) return std::nullopt;
  return store::Fence{lease_->name, lease_->token};
}

}  // namespace berth::scheduler
