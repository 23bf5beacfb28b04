// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/whole_document.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "home/home.h"
#include "kube/access/cluster_access.h"
#include "kube/access/credentials.h"
#include "kube/client/api_client.h"
#include "kube/home/kind_feed.h"
#include "kube/home/kube_commands.h"
#include "kube/home/kube_leases.h"
#include "log/logger.h"
#include "net/loop.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace berth::kube {

struct KubeHomeOptions {
  std::string user_agent = "berth";  // for leases with another suffix, so that an audit log tells who asks for what
  std::string host = {};             // named in events
  // Of each of the clients for feeds and writes, for events, and for leases, as upstream has them.
  double qps = 50;
  int burst = 100;
  std::string accept = "application/vnd.kubernetes.protobuf,application/json";
  std::string lease_namespace = "kube-system";
  std::string lease_reporter = {};                    // of events about the lease; empty: there are none
  Duration lease_patience = std::chrono::seconds(5);  // of one request about a lease
  std::function<void()> lease_renewed_slowly = {};    // see KubeLeases; called on the thread that renews
  bool stream_lists = true;
  api::KeptDocuments keep_documents = {};
  // Of commands under way at once. More than the rate lets through before their terms end would never be sent.
  size_t max_in_flight = home::Capabilities().max_in_flight;
  // How long the lease is still ours after the terms of a command have ended: the bytes of a request that was begun in
  // time arrive within it, or never. Zero: no lease is held.
  Duration write_margin = {};
  Duration farewell = std::chrono::seconds(5);  // how long Stop waits for the answers to what is under way
};

// A Kubernetes cluster as a home. Feeds, writes and leases each have a thread and connections of their own: a long list
// delays no binding, and a burst of bindings no lease.
class KubeHome final : public home::Home {
 public:
  // Everything lent outlives the home; `observer` may be null and is called on the home's threads.
  KubeHome(ClusterAccess access, Surroundings surroundings, const Clock& clock, KubeHomeOptions options,
           log::Logger log = {}, ApiObserver* observer = nullptr);
  ~KubeHome() override;
  KubeHome(const KubeHome&) = delete;
  KubeHome& operator=(const KubeHome&) = delete;

  home::Capabilities capabilities() const override;
  home::Leases& leases() override { return leases_; }
  void Open(home::HomeListener& listener, std::vector<std::string> kinds) override;
  void Start() override;
  bool Stop() override;
  void Submit(std::vector<home::Submission>& commands) override BERTH_EXCLUDES(mutex_);
  // The home has threads of its own; there is nothing to pump.
  bool PumpFeeds() override { return false; }
  bool PumpCommands() override { return false; }
  std::optional<Timestamp> NextDue() const override { return std::nullopt; }
  store::Revision FeedProgress() const override { return 0; }
  home::FeedStats feed_stats() const override;
  std::optional<api::Object> FindTold(const store::Key& key) const override;
  std::vector<api::Object> ToldOfKind(std::string_view kind) const override;

 private:
  // A loop with the thread that runs it.
  class LoopThread {
   public:
    ~LoopThread() { Stop(); }
    void Start(const char* name);
    void Stop();
    net::Loop& loop() { return loop_; }

   private:
    net::Loop loop_;
    std::thread thread_;
  };

  const KindFeed* FeedOf(std::string_view kind) const;  // null: the kind has none
  void FeedSynced();
  void TakeSubmissions() BERTH_EXCLUDES(mutex_);
  void TickSeries();

  const ClusterAccess access_;
  const Clock& clock_;
  const KubeHomeOptions options_;
  Credentials credentials_;
  LoopThread feed_thread_;
  LoopThread write_thread_;
  LoopThread lease_thread_;
  ApiClient feed_client_;
  ApiClient write_client_;
  ApiClient event_client_;
  ApiClient lease_client_;
  KubeCommands commands_;
  KubeLeases leases_;
  home::HomeListener* listener_ = nullptr;        // set by Open
  std::vector<std::unique_ptr<KindFeed>> feeds_;  // made by Open
  size_t unsynced_ = 0;                           // feed thread
  bool started_ = false;
  bool settled_ = true;  // everything was answered before the end

  Mutex mutex_;
  std::vector<home::Submission> submitted_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::kube
