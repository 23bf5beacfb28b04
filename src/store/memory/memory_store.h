// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/hub/hub.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace berth::store {

// A store that lives and dies with the process: for simulations, tests, and clusters whose source of truth is
// elsewhere. A hub holds everything; this class decides what may be written. Watches may outlive it. Thread-safe.
class MemoryStore final : public Store {
 public:
  // The clock decides when leases expire, and must outlive the store.
  explicit MemoryStore(const Clock& clock, const Limits& limits = {});
  ~MemoryStore() override;
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  Result<RecordPtr> Get(const Key& key) override { return hub_->Get(key); }
  Result<Page> List(const ListOptions& options) override { return hub_->List(options); }
  Result<std::unique_ptr<Watch>> OpenWatch(const WatchOptions& options) override { return hub_->OpenWatch(options); }
  Result<CommitOutcome> Commit(Transaction transaction) override;
  Result<BindReply> Bind(std::span<const Binding> bindings, const std::optional<Fence>& fence) override;
  Result<Revision> CurrentRevision() override { return hub_->Head(); }
  Result<void> WaitFor(Revision revision, Duration patience) override { return hub_->WaitFor(revision, patience); }
  Result<void> Compact(Revision revision) override { return hub_->Compact(revision); }
  Revision CompactFloor() const override { return hub_->CompactFloor(); }
  Result<Lease> AcquireLease(std::string_view name, std::string_view holder, Duration ttl) override;
  Result<Lease> RenewLease(const Lease& lease, Duration ttl) override;
  Result<void> ReleaseLease(const Lease& lease) override;
  Result<std::optional<Lease>> ObserveLease(std::string_view name) override;
  Stats GetStats() const override { return hub_->GetStats(); }

 private:
  const Clock& clock_;
  const Limits limits_;
  const std::shared_ptr<Hub> hub_;
};

}  // namespace berth::store
