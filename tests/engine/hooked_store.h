// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/store.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::test {

// A store in which a test has the first word on every commit and every list: what the hook returns is the answer, and
// nothing asks further. Thread-safe once the hooks are set, if they are.
class HookedStore final : public store::Store {
 public:
  explicit HookedStore(store::Store* inner = nullptr) : inner_(inner) {}
  void Wrap(store::Store& inner) { inner_ = &inner; }

  std::function<std::optional<Result<store::CommitOutcome>>(const store::Transaction&)> on_commit;
  std::function<std::optional<Error>()> on_list;
  std::function<void()> before_bind;
  std::vector<std::string> listed_kinds;   // by the last list
  std::vector<std::string> watched_kinds;  // by the last watch

  Result<store::RecordPtr> Get(const store::Key& key) override { return inner_->Get(key); }
  Result<store::Page> List(const store::ListOptions& options) override {
    listed_kinds = options.selection.kinds;
    if (on_list) {
      if (std::optional<Error> error = on_list()) return *std::move(error);
    }
    return inner_->List(options);
  }
  Result<std::unique_ptr<store::Watch>> OpenWatch(const store::WatchOptions& options) override {
    watched_kinds = options.selection.kinds;
    return inner_->OpenWatch(options);
  }
  Result<store::CommitOutcome> Commit(store::Transaction transaction) override {
    if (on_commit) {
      if (std::optional<Result<store::CommitOutcome>> answer = on_commit(transaction)) return *std::move(answer);
    }
    return inner_->Commit(std::move(transaction));
  }
  Result<store::BindReply> Bind(std::span<const store::Binding> bindings,
                                const std::optional<store::Fence>& fence) override {
    if (before_bind) before_bind();
    return inner_->Bind(bindings, fence);
  }
  Result<store::Revision> CurrentRevision() override { return inner_->CurrentRevision(); }
  Result<void> WaitFor(store::Revision revision, Duration patience) override {
    return inner_->WaitFor(revision, patience);
  }
  Result<void> Compact(store::Revision revision) override { return inner_->Compact(revision); }
  store::Revision CompactFloor() const override { return inner_->CompactFloor(); }
  Result<store::Lease> AcquireLease(std::string_view name, std::string_view holder, Duration ttl) override {
    return inner_->AcquireLease(name, holder, ttl);
  }
  Result<store::Lease> RenewLease(const store::Lease& lease, Duration ttl) override {
    return inner_->RenewLease(lease, ttl);
  }
  Result<void> ReleaseLease(const store::Lease& lease) override { return inner_->ReleaseLease(lease); }
  Result<std::optional<store::Lease>> ObserveLease(std::string_view name) override {
    return inner_->ObserveLease(name);
  }
  store::Stats GetStats() const override { return inner_->GetStats(); }

 private:
  store::Store* inner_;
};

}  // namespace berth::test
