// SPDX-License-Identifier: Apache-2.0
#include "engine/flaky_store.h"

#include <thread>
#include <utility>
#include <vector>

namespace berth::test {

using store::WatchItem;

namespace {

void Linger(Duration duration) {
  if (duration > Duration::zero()) std::this_thread::sleep_for(duration);
}

Error Unavailable() { return {ErrorCode::Unavailable, "the store does not answer"}; }

}  // namespace

// Tells what the watch behind tells, until something goes wrong.
class FlakyStore::FlakyWatch final : public store::Watch {
 public:
  FlakyWatch(FlakyStore& store, std::unique_ptr<store::Watch> inner) : store_(store), inner_(std::move(inner)) {}

  WatchItem Next(Duration patience) override {
    if (ended_) return *ended_;
    switch (store_.NextWatchFault()) {
      case WatchFault::None: break;
      case WatchFault::Cut: return End(WatchItem::Kind::Closed);
      case WatchFault::Expire: return End(WatchItem::Kind::Expired);
      case WatchFault::RepeatLast:
        if (!told_.empty()) return told_[turn_++ % told_.size()];
        break;
    }
    WatchItem item = inner_->Next(patience);
    if (item.kind == WatchItem::Kind::Batch) {
      constexpr size_t kRemembered = 8;
      store_.batches_told_.fetch_add(1);
      if (told_.size() == kRemembered) told_.erase(told_.begin());
      told_.push_back(item);
    }
    return item;
  }
  void Cancel() override { inner_->Cancel(); }

 private:
  WatchItem End(WatchItem::Kind kind) {
    ended_ = WatchItem{.kind = kind};
    return *ended_;
  }

  FlakyStore& store_;
  const std::unique_ptr<store::Watch> inner_;
  std::vector<WatchItem> told_;
  size_t turn_ = 0;
  std::optional<WatchItem> ended_;
};

void FlakyStore::Set(const Faults& faults) {
  const MutexLock lock(mutex_);
  faults_ = faults;
}

Faults FlakyStore::faults() const {
  const MutexLock lock(mutex_);
  return faults_;
}

bool FlakyStore::Strikes(uint64_t one_in) {
  if (one_in == 0) return false;
  {
    const MutexLock lock(mutex_);
    if (rng_.Below(one_in) != 0) return false;
  }
  injected_.fetch_add(1);
  return true;
}

FlakyStore::WatchFault FlakyStore::NextWatchFault() {
  if (watch_plan_) {
    const WatchFault planned = watch_plan_(batches_told_.load());
    if (planned != WatchFault::None) injected_.fetch_add(1);
    return planned;
  }
  const Faults chances = faults();
  if (Strikes(chances.cut_watch)) return WatchFault::Cut;
  if (Strikes(chances.repeated_batch)) return WatchFault::RepeatLast;
  return WatchFault::None;
}

template <typename T, typename Call>
Result<T> FlakyStore::Write(const Call& call) {
  const Faults chances = faults();
  Linger(chances.slow_request);
  if (Strikes(chances.unavailable_write)) return Unavailable();
  if (Strikes(chances.lost_request)) return Error{ErrorCode::Unknown, "the request may be lost"};
  Result<T> outcome = call();
  Linger(chances.slow_answer);
  if (Strikes(chances.lost_answer)) return Error{ErrorCode::Unknown, "the answer is lost"};
  return outcome;
}

Result<store::RecordPtr> FlakyStore::Get(const store::Key& key) {
  if (Strikes(faults().unavailable_read)) return Unavailable();
  return inner_->Get(key);
}

Result<store::Page> FlakyStore::List(const store::ListOptions& options) {
  if (Strikes(faults().unavailable_read)) return Unavailable();
  return inner_->List(options);
}

Result<std::unique_ptr<store::Watch>> FlakyStore::OpenWatch(const store::WatchOptions& options) {
  if (Strikes(faults().unavailable_read)) return Unavailable();
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<store::Watch> watch, inner_->OpenWatch(options));
  return std::unique_ptr<store::Watch>(std::make_unique<FlakyWatch>(*this, std::move(watch)));
}

Result<store::CommitOutcome> FlakyStore::Commit(store::Transaction transaction) {
  return Write<store::CommitOutcome>([&] { return inner_->Commit(std::move(transaction)); });
}

Result<store::BindReply> FlakyStore::Bind(std::span<const store::Binding> bindings,
                                          const std::optional<store::Fence>& fence) {
  binds_.fetch_add(1);
  return Write<store::BindReply>([&] { return inner_->Bind(bindings, fence); });
}

Result<store::Lease> FlakyStore::AcquireLease(std::string_view name, std::string_view holder, Duration ttl) {
  if (leases_unreachable) return Unavailable();
  return inner_->AcquireLease(name, holder, ttl);
}

Result<store::Lease> FlakyStore::RenewLease(const store::Lease& lease, Duration ttl) {
  if (leases_unreachable) return Unavailable();
  return inner_->RenewLease(lease, ttl);
}

}  // namespace berth::test
