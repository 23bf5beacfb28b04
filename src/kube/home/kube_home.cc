// SPDX-License-Identifier: Apache-2.0
#include "kube/home/kube_home.h"

#include "base/thread_name.h"

#include <algorithm>
#include <functional>
#include <future>
#include <utility>

namespace berth::kube {
namespace {

constexpr Duration kSeriesTick = std::chrono::minutes(1);
// What upstream asks of the API server: pods that have ended hold nothing any more.
constexpr std::string_view kLivePods = "status.phase!=Succeeded,status.phase!=Failed";

ApiClientOptions ClientOptions(const KubeHomeOptions& options) {
  return {.user_agent = options.user_agent + "/scheduler", .qps = options.qps, .burst = options.burst};
}

// Lists are long: the server may send much before it must wait.
ApiClientOptions FeedOptions(const KubeHomeOptions& options) {
  ApiClientOptions feed = ClientOptions(options);
  feed.http.stream_window = 4U << 20U;
  feed.http.connection_window = 16U << 20U;
  feed.http.moderate_reads = true;
  return feed;
}

// Half of the margin for bytes that wait for the system, half for those that the system has.
ApiClientOptions WriteOptions(const KubeHomeOptions& options) {
  ApiClientOptions writes = ClientOptions(options);
  writes.http.stall_limit = options.write_margin / 2;
  writes.http.moderate_reads = true;
  return writes;
}

ApiClientOptions LeaseOptions(const KubeHomeOptions& options) {
  ApiClientOptions lease = ClientOptions(options);
  lease.user_agent = options.user_agent + "/leader-election";
  return lease;
}

}  // namespace

void KubeHome::LoopThread::Start(const char* name) {
  thread_ = std::thread([this, name] {
    NameThread(name);
    loop_.Run();
  });
}

void KubeHome::LoopThread::Stop() {
  loop_.Stop();
  if (thread_.joinable()) thread_.join();
}

KubeHome::KubeHome(ClusterAccess access, Surroundings surroundings, const Clock& clock, KubeHomeOptions options,
                   log::Logger log, ApiObserver* observer)
    : access_(std::move(access)),
      clock_(clock),
      options_(std::move(options)),
      credentials_(access_.credentials, std::move(surroundings), clock, std::move(log)),
      feed_client_(feed_thread_.loop(), access_, credentials_, FeedOptions(options_), observer),
      write_client_(write_thread_.loop(), access_, credentials_, WriteOptions(options_), observer),
      event_client_(write_thread_.loop(), access_, credentials_, WriteOptions(options_), observer),
      lease_client_(lease_thread_.loop(), access_, credentials_, LeaseOptions(options_), observer),
      commands_(write_client_, event_client_, clock, options_.host,
                [this](const store::Key& key) { return FindTold(key); }),
      leases_(lease_client_, options_.lease_namespace, clock, options_.lease_patience, options_.lease_reporter,
              options_.lease_renewed_slowly) {
  // The lease is asked for before the home is started, and given back after it has stopped.
  lease_thread_.Start("berth-lease");
}

KubeHome::~KubeHome() {
  Stop();
  lease_thread_.Stop();
}

home::Capabilities KubeHome::capabilities() const {
  home::Capabilities capabilities;
  capabilities.max_in_flight = options_.max_in_flight;
  return capabilities;
}

void KubeHome::Open(home::HomeListener& listener, std::vector<std::string> kinds) {
  listener_ = &listener;
  commands_.Open(listener);
  unsynced_ = kinds.size();
  for (std::string& kind : kinds) {
    KindFeedOptions feed;
    feed.accept = options_.accept;
    feed.stream_lists = options_.stream_lists;
    feed.keep_documents = options_.keep_documents;
    feed.seed = std::hash<std::string>()(kind) ^ static_cast<uint64_t>(clock_.Now().time_since_epoch().count());
    if (kind == api::KindOf<api::Pod>()) feed.field_selector = kLivePods;
    feeds_.push_back(std::make_unique<KindFeed>(std::move(kind), feed_client_, listener, clock_, std::move(feed),
                                                [this] { FeedSynced(); }));
  }
}

void KubeHome::FeedSynced() {
  if (--unsynced_ == 0) listener_->Synced();
}

void KubeHome::Start() {
  started_ = true;
  for (const auto& feed : feeds_) feed_thread_.loop().Post([&feed = *feed] { feed.Start(); });
  write_thread_.loop().Post([this] { TickSeries(); });
  feed_thread_.Start("berth-feeds");
  write_thread_.Start("berth-writes");
}

void KubeHome::TickSeries() {
  commands_.WriteSeries();
  write_thread_.loop().After(kSeriesTick, [this] { TickSeries(); });
}

void KubeHome::Submit(std::vector<home::Submission>& commands) {
  if (commands.empty()) return;
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    is_first = submitted_.empty();
    std::move(commands.begin(), commands.end(), std::back_inserter(submitted_));
  }
  commands.clear();
  if (is_first) write_thread_.loop().Post([this] { TakeSubmissions(); });
}

void KubeHome::TakeSubmissions() {
  std::vector<home::Submission> taken;
  {
    const MutexLock lock(mutex_);
    taken.swap(submitted_);
  }
  for (home::Submission& submission : taken) commands_.Carry(std::move(submission));
}

bool KubeHome::Stop() {
  if (!std::exchange(started_, false)) return settled_;
  std::promise<void> idle;
  write_thread_.loop().Post([&] {
    TakeSubmissions();
    commands_.Finish([&] { idle.set_value(); });
  });
  settled_ = idle.get_future().wait_for(options_.farewell) == std::future_status::ready;
  if (!settled_) {
    // The server is no longer waited for, so that everything ends; whoever schedules next finds out what became of it.
    std::promise<void> ended;
    write_thread_.loop().Post([&] {
      commands_.Finish([&] { ended.set_value(); });
      write_client_.Close();
      event_client_.Close();
    });
    ended.get_future().wait();
  }
  std::promise<void> closed;
  feed_thread_.loop().Post([&] {
    for (const auto& feed : feeds_) feed->Close();
    closed.set_value();
  });
  closed.get_future().wait();
  feed_thread_.Stop();
  write_thread_.Stop();
  return settled_;
}

home::FeedStats KubeHome::feed_stats() const {
  home::FeedStats all;
  for (const auto& feed : feeds_) {
    home::FeedStats stats = feed->stats();
    all.relists += stats.relists;
    all.interruptions += stats.interruptions;
    all.undecodable += stats.undecodable;
    if (!stats.last_error.empty()) all.last_error = feed->kind() + ": " + stats.last_error;
  }
  return all;
}

std::optional<api::Object> KubeHome::FindTold(const store::Key& key) const {
  const KindFeed* feed = FeedOf(key.kind);
  return feed == nullptr ? std::nullopt : feed->Find(key);
}

std::vector<api::Object> KubeHome::ToldOfKind(std::string_view kind) const {
  const KindFeed* feed = FeedOf(kind);
  return feed == nullptr ? std::vector<api::Object>() : feed->All();
}

const KindFeed* KubeHome::FeedOf(std::string_view kind) const {
  const auto feed = std::ranges::find_if(feeds_, [&](const auto& each) { return each->kind() == kind; });
  return feed == feeds_.end() ? nullptr : feed->get();
}

}  // namespace berth::kube
