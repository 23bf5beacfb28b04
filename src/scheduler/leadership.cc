// SPDX-License-Identifier: Apache-2.0
#include "scheduler/leadership.h"

#include <utility>

namespace berth::scheduler {

Leadership::Leadership(home::Leases& leases, const Clock& clock, LeadershipOptions options, log::Logger log,
                       Problems* problems)
    : leases_(leases), clock_(clock), options_(std::move(options)), log_(std::move(log)), problems_(problems) {}

bool Leadership::Pump() {
  const Timestamp now = clock_.Now();
  // A moment further ahead than the period was set before the clock was set back.
  if (next_ && now < *next_ && *next_ - now <= options_.retry_period) return false;
  next_ = now + options_.retry_period;
  const Duration asked = clock_.Steady();
  std::optional<store::Lease> held;
  {
    const MutexLock lock(mutex_);
    held = lease_;
  }
  Result<store::Lease> lease = held ? leases_.Renew(*held, options_.lease_duration)
                                    : leases_.Acquire(options_.lease, options_.holder, options_.lease_duration);
  Tell(lease, held.has_value());
  {
    const MutexLock lock(mutex_);
    last_error_ = lease ? std::string() : lease.error().message;
  }
  if (lease) return Set(*std::move(lease), asked);
  // A home that cannot be reached may answer again before the deadline.
  const bool may_hold_on = held && lease.error().code != ErrorCode::Fenced && leads();
  return may_hold_on ? false : Set(std::nullopt, asked);
}

// That another scheduler holds the lease is normal; any other failure is a problem until it is solved.
void Leadership::Tell(const Result<store::Lease>& lease, bool was_held) {
  constexpr std::string_view kKey = "lease";
  if (lease) {
    if (!was_held) log_.Info("Successfully acquired lease", {{"lease", options_.lease}, {"holder", options_.holder}});
    waits_ = false;
    if (problems_ != nullptr && problems_->Solved(ProblemKind::Lease, kKey) && was_held) {
      log_.Info("Lease is renewed again", {{"lease", options_.lease}});
    }
  } else if (lease.error().code == ErrorCode::Fenced) {
    log_.Warning("Lease was lost to another", {{"lease", options_.lease}, {"err", lease.error().message}});
  } else if (lease.error().code == ErrorCode::Conflict) {
    // Once in each wait; for whoever looks closer, every time.
    log_.V(std::exchange(waits_, true) ? 4 : 0)
        .Info("Lease is held by another", {{"lease", options_.lease}, {"err", lease.error().message}});
  } else if (problems_ != nullptr) {
    problems_->Report(ProblemKind::Lease, kKey, was_held ? "Lease cannot be renewed" : "Lease cannot be acquired",
                      {{"lease", options_.lease}, {"err", lease.error().message}});
  }
}

// The deadline counts from before the call: how long the call took is not known to whoever granted the lease.
bool Leadership::Set(std::optional<store::Lease> lease, Duration asked) {
  const MutexLock lock(mutex_);
  const store::Revision before = terms_ == nullptr ? 0 : terms_->fence.token;
  if (!lease || lease->token != before) Revoke();
  lease_ = std::move(lease);
  terms_ = nullptr;
  if (lease_) {
    if (revoked_ == nullptr) revoked_ = std::make_shared<std::atomic<bool>>(false);
    terms_ = std::make_shared<const home::WriteTerms>(
        home::WriteTerms{{lease_->name, lease_->token}, asked + options_.renew_deadline, revoked_});
  }
  return before != (lease_ ? lease_->token : 0);
}

void Leadership::Revoke() {
  if (const auto revoked = std::exchange(revoked_, nullptr)) *revoked = true;
}

std::shared_ptr<const home::WriteTerms> Leadership::terms() const {
  const MutexLock lock(mutex_);
  if (terms_ == nullptr) return nullptr;
  const Duration now = clock_.Steady();
  // A deadline further ahead than it was ever set means that the clock was set back: how long ago the lease was renewed
  // is not known then.
  const bool holds = now < terms_->until && terms_->until - now <= options_.renew_deadline;
  return holds ? terms_ : nullptr;
}

std::string Leadership::last_error() const {
  const MutexLock lock(mutex_);
  return last_error_;
}

void Leadership::Release() {
  std::optional<store::Lease> held;
  {
    const MutexLock lock(mutex_);
    held = std::exchange(lease_, std::nullopt);
    terms_ = nullptr;
    Revoke();
  }
  // If this fails the lease runs out by itself.
  if (held) static_cast<void>(leases_.Release(*held));
}

void Leadership::Lose(const home::WriteTerms& refused) {
  const MutexLock lock(mutex_);
  if (!lease_ || lease_->token != refused.fence.token) return;
  lease_ = std::nullopt;
  terms_ = nullptr;
  Revoke();
}

}  // namespace berth::scheduler
