// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "store/store.h"
#include "support/fault_source.h"
#include "support/faults.h"
#include "support/faulty_watch.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::test {

// Another store as it looks over a bad network, from a server that comes and goes: for those who must cope. Things go
// wrong by chance, by script or by plan, as faults.h has it. What it answers is always within what store.h and watch.h
// allow, but for batches that are told again and what faults.h says otherwise. Thread-safe.
class FaultyStore final : public store::Store {
 public:
  using Sleep = std::function<void(Duration)>;

  // `sleep` is called for every delay, by the thread that is delayed.
  explicit FaultyStore(uint64_t seed = 1, Sleep sleep = SleepOnThread);
  // Ends its watches.
  ~FaultyStore() override;
  FaultyStore(const FaultyStore&) = delete;
  FaultyStore& operator=(const FaultyStore&) = delete;

  // The store behind, which is used as long as anybody uses this one. Before the first call.
  void Wrap(store::Store& inner) { inner_ = &inner; }
  // What goes wrong from now on.
  void Set(const Faults& faults) { faults_->Set(faults); }
  // What happens to the next commits, binds and changes of leases, one after the other, before chance decides again.
  void ScriptWrites(const std::vector<Fault>& next) { faults_->ScriptWrites(next); }
  // Decides over watches instead of chance. Before the first watch.
  void PlanWatches(WatchPlan plan) { faults_->PlanWatches(std::move(plan)); }
  // Every open watch says Closed next, as when a connection is lost.
  void CutWatches();
  // Everything before the present is as if compacted: open watches say Expired next, and who wants to go on from
  // before must list again.
  void LoseHistory();

  FaultCounts counts() const { return faults_->counts(); }
  size_t faults_injected() const { return counts().total(); }
  uint64_t binds() const { return binds_.load(); }
  // How often a watch told an older change after a newer one.
  uint64_t disorders() const { return disorders_->load(); }

  Result<store::RecordPtr> Get(const store::Key& key) override;
  Result<store::Page> List(const store::ListOptions& options) override;
  Result<std::unique_ptr<store::Watch>> OpenWatch(const store::WatchOptions& options) override;
  Result<store::CommitOutcome> Commit(store::Transaction transaction) override;
  Result<store::BindReply> Bind(std::span<const store::Binding> bindings,
                                const std::optional<store::Fence>& fence) override;
  Result<store::Revision> CurrentRevision() override;
  Result<void> WaitFor(store::Revision revision, Duration patience) override;
  Result<void> Compact(store::Revision revision) override { return inner_->Compact(revision); }
  store::Revision CompactFloor() const override;
  Result<store::Lease> AcquireLease(std::string_view name, std::string_view holder, Duration ttl) override;
  Result<store::Lease> RenewLease(const store::Lease& lease, Duration ttl) override;
  Result<void> ReleaseLease(const store::Lease& lease) override;
  Result<std::optional<store::Lease>> ObserveLease(std::string_view name) override;
  store::Stats GetStats() const override;

  // While true, leases cannot be taken or renewed: their holder is cut off from the store.
  std::atomic<bool> leases_unreachable = false;

 private:
  static void SleepOnThread(Duration duration);

  // Makes the call as the next fault of a write, or of a read, will have it.
  template <typename Call>
  auto Writing(const char* what, Call call) -> decltype(call());
  template <typename Call>
  auto Reading(const char* what, Call call) -> decltype(call());

  store::Revision LostBelow() const BERTH_EXCLUDES(mutex_);
  Result<store::Page> ListFromInner(const store::ListOptions& options);
  Result<store::Page> FirstPage(const store::ListOptions& options);
  Result<std::unique_ptr<store::Watch>> OpenLine(store::WatchOptions options);
  void SealWatches(WatchFault end, store::Revision floor) BERTH_EXCLUDES(mutex_);

  store::Store* inner_ = nullptr;
  const Sleep sleep_;
  const std::shared_ptr<FaultSource> faults_;
  const std::shared_ptr<std::atomic<uint64_t>> disorders_ = std::make_shared<std::atomic<uint64_t>>(0);
  std::atomic<uint64_t> binds_ = 0;
  mutable Mutex mutex_;
  store::Revision lost_below_ BERTH_GUARDED_BY(mutex_) = 0;  // the floor that LoseHistory pretends
  std::vector<std::weak_ptr<WatchLine>> lines_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::test
