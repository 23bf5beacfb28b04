// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/whole_document.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "home/home.h"
#include "home/store_commands.h"
#include "home/store_feed.h"
#include "store/store.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace berth::home {

struct StoreHomeOptions {
  size_t max_batch = 512;                               // bindings in one transaction
  Duration gathering = std::chrono::microseconds(300);  // how long writes wait for others to share a transaction with
  Duration patience = std::chrono::seconds(1);          // how long a watch waits before it tells how far it is
  std::string host = {};                                // named in events
  api::KeptDocuments keep_documents = {};
};

// Makes a home of a store. One thread watches, one writes: whatever the store blocks on, the scheduler does not.
class StoreHome final : public Home {
 public:
  // Everything lent outlives the home.
  StoreHome(store::Store& store, const Clock& clock, StoreHomeOptions options = {});
  ~StoreHome() override;
  StoreHome(const StoreHome&) = delete;
  StoreHome& operator=(const StoreHome&) = delete;

  Capabilities capabilities() const override;
  Leases& leases() override { return leases_; }
  void Open(HomeListener& listener, std::vector<std::string> kinds) override;
  void Start() override;
  bool Stop() override BERTH_EXCLUDES(mutex_);
  void Submit(std::vector<Submission>& commands) override BERTH_EXCLUDES(mutex_);
  bool PumpFeeds() override { return feed_->Pump(Duration(0)); }
  bool PumpCommands() override BERTH_EXCLUDES(mutex_);
  std::optional<Timestamp> NextDue() const override BERTH_EXCLUDES(mutex_);
  store::Revision FeedProgress() const override { return feed_->revision(); }
  FeedStats feed_stats() const override { return feed_->stats(); }
  std::optional<api::Object> FindTold(const store::Key& key) const override { return feed_->Find(key); }
  std::vector<api::Object> ToldOfKind(std::string_view kind) const override { return feed_->OfKind(kind); }

 private:
  class StoreLeases final : public Leases {
   public:
    explicit StoreLeases(store::Store& store) : store_(store) {}
    Result<store::Lease> Acquire(std::string_view name, std::string_view holder, Duration ttl) override {
      return store_.AcquireLease(name, holder, ttl);
    }
    Result<store::Lease> Renew(const store::Lease& lease, Duration ttl) override {
      return store_.RenewLease(lease, ttl);
    }
    Result<void> Release(const store::Lease& lease) override { return store_.ReleaseLease(lease); }

   private:
    store::Store& store_;
  };

  void RunFeed(const std::stop_token& stop);
  void RunCommands(const std::stop_token& stop);
  void FinishBindings() BERTH_EXCLUDES(mutex_);

  store::Store& store_;
  const Clock& clock_;
  const StoreHomeOptions options_;
  StoreLeases leases_;
  StoreCommands commands_;
  HomeListener* listener_ = nullptr;  // set by Open
  std::unique_ptr<StoreFeed> feed_;   // made by Open
  std::vector<Submission> in_hand_;   // the writing thread's
  std::vector<Completion> answers_;   // the writing thread's

  mutable Mutex mutex_;
  CondVar arrived_;
  std::vector<Submission> waiting_ BERTH_GUARDED_BY(mutex_);
  bool stopping_ BERTH_GUARDED_BY(mutex_) = false;

  std::jthread feed_thread_;
  std::jthread command_thread_;
};

}  // namespace berth::home
