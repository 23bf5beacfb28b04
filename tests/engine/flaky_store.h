// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/rng.h"
#include "store/store.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace berth::test {

// What goes wrong, by chance: one call in so many. Zero: never.
struct Faults {
  uint64_t unavailable_write = 0;  // nothing is done
  uint64_t lost_request = 0;       // nothing is done, and the outcome is unknown
  uint64_t lost_answer = 0;        // it is done, and the outcome is unknown
  uint64_t unavailable_read = 0;   // Get, List and OpenWatch
  uint64_t stale_list = 0;         // a list tells what there was some revisions ago
  uint64_t understated_list = 0;   // a list is newer than the revision it names, and not in order of key
  uint64_t cut_watch = 0;          // a watch ends before its next item
  uint64_t repeated_batch = 0;     // a watch tells what it told before once more
  Duration slow_request{};         // of real time, before anything is done; with threads only
  Duration slow_answer{};          // of real time, after it is done; with threads only
};

// A store that hands everything on to another and lets some of it go wrong. Thread-safe; faults are changed before use
// or between two calls.
class FlakyStore final : public store::Store {
 public:
  explicit FlakyStore(uint64_t seed = 1) : rng_(seed) {}

  // The store behind. Before the first call.
  void Wrap(store::Store& inner) { inner_ = &inner; }
  void Set(const Faults& faults) BERTH_EXCLUDES(mutex_);

  // What a watch does instead of telling its next item. Mix tells all there is at once, the objects in another order
  // than they changed, each followed by old changes of its own.
  enum class WatchFault : uint8_t { None, Cut, Expire, RepeatLast, Mix };
  // Asked before every item, with how many batches have been told by all watches so far. Before the first watch.
  using WatchPlan = std::function<WatchFault(size_t batches_told)>;
  void PlanWatches(WatchPlan plan) { watch_plan_ = std::move(plan); }

  uint64_t faults_injected() const { return injected_.load(); }
  uint64_t binds() const { return binds_.load(); }
  // How often a watch told an older change after a newer one.
  uint64_t disorders() const { return disorders_.load(); }

  Result<store::RecordPtr> Get(const store::Key& key) override;
  Result<store::Page> List(const store::ListOptions& options) override;
  Result<std::unique_ptr<store::Watch>> OpenWatch(const store::WatchOptions& options) override;
  Result<store::CommitOutcome> Commit(store::Transaction transaction) override;
  Result<store::BindReply> Bind(std::span<const store::Binding> bindings,
                                const std::optional<store::Fence>& fence) override;
  Result<store::Revision> CurrentRevision() override { return inner_->CurrentRevision(); }
  Result<void> WaitFor(store::Revision revision, Duration patience) override {
    return inner_->WaitFor(revision, patience);
  }
  Result<void> Compact(store::Revision revision) override { return inner_->Compact(revision); }
  store::Revision CompactFloor() const override { return inner_->CompactFloor(); }
  Result<store::Lease> AcquireLease(std::string_view name, std::string_view holder, Duration ttl) override;
  Result<store::Lease> RenewLease(const store::Lease& lease, Duration ttl) override;
  Result<void> ReleaseLease(const store::Lease& lease) override { return inner_->ReleaseLease(lease); }
  Result<std::optional<store::Lease>> ObserveLease(std::string_view name) override {
    return inner_->ObserveLease(name);
  }
  store::Stats GetStats() const override { return inner_->GetStats(); }

  // While true, leases cannot be taken or renewed: their holder is cut off from the store.
  std::atomic<bool> leases_unreachable = false;

 private:
  class FlakyWatch;

  // Whether this call is the one in so many.
  bool Strikes(uint64_t one_in) BERTH_EXCLUDES(mutex_);
  Faults faults() const BERTH_EXCLUDES(mutex_);
  WatchFault NextWatchFault() BERTH_EXCLUDES(mutex_);
  // The call, with what goes wrong around it.
  template <typename T, typename Call>
  Result<T> Write(const Call& call);

  store::Store* inner_ = nullptr;
  WatchPlan watch_plan_;
  std::atomic<size_t> batches_told_ = 0;
  std::atomic<uint64_t> injected_ = 0;
  std::atomic<uint64_t> binds_ = 0;
  std::atomic<uint64_t> disorders_ = 0;
  mutable Mutex mutex_;
  Faults faults_ BERTH_GUARDED_BY(mutex_);
  Rng rng_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::test
