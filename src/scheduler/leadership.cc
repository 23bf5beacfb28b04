// SPDX-License-Identifier: Apache-2.0
#include "scheduler/leadership.h"

#include <utility>

namespace berth::scheduler {

Leadership::Leadership(store::Store& store, const Clock& clock, LeadershipOptions options)
    : store_(store), clock_(clock), options_(std::move(options)) {}

bool Leadership::Pump() {
  const Timestamp now = clock_.Now();
  if (next_ && now < *next_) return false;
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
  const bool leads = lease.has_value();
  {
    const MutexLock lock(mutex_);
    lease_ = std::move(lease);
  }
  return leads_.exchange(leads) != leads;
}

void Leadership::Release() {
  std::optional<store::Lease> held;
  {
    const MutexLock lock(mutex_);
    held = std::exchange(lease_, std::nullopt);
  }
  leads_ = false;
  // If this fails the lease runs out by itself.
  if (held) static_cast<void>(store_.ReleaseLease(*held));
}

void Leadership::Lose() { Set(std::nullopt); }

std::optional<store::Fence> Leadership::fence() const {
  const MutexLock lock(mutex_);
  if (!lease_) return std::nullopt;
  return store::Fence{lease_->name, lease_->token};
}

}  // namespace berth::scheduler
