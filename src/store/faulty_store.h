// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "store/fault_source.h"
#include "store/faulty_watch.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace berth::store {

// Another store as it looks over a bad network, from a server that comes and goes: for tests and simulations of those
// who must cope. Things go wrong by chance or by script, as fault_source.h has it. What it answers is always within
// what store.h and watch.h allow, but for batches that are told again. Thread-safe.
class FaultyStore final : public Store {
 public:
  using Sleep = std::function<void(Duration)>;

  // The inner store must outlive this one. `sleep` is called for every delay, by the thread that is delayed.
  FaultyStore(Store& inner, const FaultOptions& options, Sleep sleep);
  // Ends its watches.
  ~FaultyStore() override;
  FaultyStore(const FaultyStore&) = delete;
  FaultyStore& operator=(const FaultyStore&) = delete;

  // What happens to the next commits, binds and changes of leases, one after the other, before chance decides again.
  void ScriptWrites(const std::vector<Fault>& next) { faults_->ScriptWrites(next); }
  // Every open watch says Closed next, as when a connection is lost.
  void CutWatches();
  // Everything before the present is as if compacted: open watches say Expired next, and who wants to go on from
  // before must list again.
  void LoseHistory();
  FaultCounts Counts() const { return faults_->Counts(); }

  Result<RecordPtr> Get(const Key& key) override;
  Result<Page> List(const ListOptions& options) override;
  Result<std::unique_ptr<Watch>> OpenWatch(const WatchOptions& options) override;
  Result<CommitOutcome> Commit(Transaction transaction) override;
  Result<BindReply> Bind(std::span<const Binding> bindings, const std::optional<Fence>& fence) override;
  Result<Revision> CurrentRevision() override;
  Result<void> WaitFor(Revision revision, Duration patience) override;
  Result<void> Compact(Revision revision) override { return inner_.Compact(revision); }
  Revision CompactFloor() const override;
  Result<Lease> AcquireLease(std::string_view name, std::string_view holder, Duration ttl) override;
  Result<Lease> RenewLease(const Lease& lease, Duration ttl) override;
  Result<void> ReleaseLease(const Lease& lease) override;
  Result<std::optional<Lease>> ObserveLease(std::string_view name) override;
  Stats GetStats() const override;

 private:
  // Makes the call as the next fault of a write, or of a read, will have it.
  template <typename Call>
  auto Writing(const char* what, Call call) -> decltype(call());
  template <typename Call>
  auto Reading(const char* what, Call call) -> decltype(call());

  Revision LostBelow() const BERTH_EXCLUDES(mutex_);
  Result<Page> ListFromInner(const ListOptions& options);
  // Nothing when this list is not to be stale, or the past cannot be listed any more.
  std::optional<Page> ListOfThePast(const ListOptions& options);
  Result<std::unique_ptr<Watch>> OpenLine(WatchOptions options);
  void SealWatches(FaultSource::WatchFate fate, Revision floor) BERTH_EXCLUDES(mutex_);

  Store& inner_;
  const Sleep sleep_;
  const std::shared_ptr<FaultSource> faults_;
  mutable Mutex mutex_;
  Revision lost_below_ BERTH_GUARDED_BY(mutex_) = 0;  // the floor that LoseHistory pretends
  std::vector<std::weak_ptr<WatchLine>> lines_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::store
