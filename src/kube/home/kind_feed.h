// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/whole_document.h"
#include "base/clock.h"
#include "base/rng.h"
#include "home/feed_ledger.h"
#include "home/home.h"
#include "home/retry_backoff.h"
#include "kube/client/api_client.h"
#include "kube/home/object_decoder.h"
#include "kube/home/resource.h"
#include "kube/home/watch_stream.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace berth::kube {

struct KindFeedOptions {
  // Content types in order of preference; custom kinds are read as JSON whatever this says.
  std::string accept = "application/vnd.kubernetes.protobuf,application/json";
  std::string field_selector = {};
  // A kind of which some are kept is read as JSON, too: protobuf is read only as far as scheduling needs it.
  api::KeptDocuments keep_documents = {};
  bool stream_lists = true;                     // ask for lists as the beginning of a watch, where the server can
  size_t page = 500;                            // of a list that is not streamed; less where its objects are large
  size_t max_answer = ApiRequest().max_answer;  // of a page
  Duration first_pause = home::RetryBackoff::kFirst;
  uint64_t seed = 1;  // of pauses and watch lengths
};

// Feeds the scheduler with the objects of one kind: lists them, then watches. A list is the beginning of a watch where
// the server can do that, else it comes in pages. A watch that ends is opened again where it was; when the server has
// forgotten that version, or fails again and again to go on from it, everything is listed again and the difference
// told. Failures are followed by a pause that grows, or by the one that the server asks for. Which of these it is after
// a watch is AfterWatch's to say.
//
// On the client's loop; Find, All and stats are for any thread.
class KindFeed final : private WatchListener {
 public:
  // Everything lent outlives this. `synced` is called when the first list is complete.
  KindFeed(std::string kind, ApiClient& client, home::HomeListener& listener, const Clock& clock,
           KindFeedOptions options, std::function<void()> synced);
  ~KindFeed();
  KindFeed(const KindFeed&) = delete;
  KindFeed& operator=(const KindFeed&) = delete;

  void Start();
  // Nothing is told any more.
  void Close();

  const std::string& kind() const { return kind_; }
  home::FeedStats stats() const { return ledger_.stats(); }
  std::optional<api::Object> Find(const store::Key& key) const { return ledger_.Find(key); }
  std::vector<api::Object> All() const { return ledger_.OfKind(kind_); }

 private:
  void WatchBegan() override;
  void WatchTold(const WatchedEvent& event) override;
  void WatchPaused() override;
  void WatchEnded(const ApiError& error, std::optional<Duration> retry_after) override;

  // Whatever comes next: discovery, a list or a watch.
  void Continue();
  void Discover();
  void List();
  void TakePage(ApiResponse& response);
  void PageFailed(const ApiResponse& response);
  Result<std::string> ReadPage(const ApiResponse& response);
  Result<std::string> ReadJsonPage(std::string_view body);
  void OpenWatch();
  void EndList();
  void Take(const WatchedEvent& event);
  Duration Served() const;
  void ListSoon(const std::string& error);
  void RetryLater(const std::string& error, std::optional<Duration> retry_after);
  // Sends a request whose answer is dropped once the feed is closed.
  void Ask(ApiRequest request, void (KindFeed::*take)(ApiResponse&));
  void TakeGroup(ApiResponse& response);
  void TakeVersion(ApiResponse& response);
  bool ListsByWatch() const { return options_.stream_lists && !streaming_refused_ && !streaming_failed_; }
  std::string Query() const;
  std::string Accepted() const;

  const std::string kind_;
  ApiClient& client_;
  const Clock& clock_;
  const KindFeedOptions options_;
  std::function<void()> synced_;  // empty once called
  std::optional<Resource> resource_;
  ObjectDecoder decoder_;
  home::FeedLedger ledger_;
  home::RetryBackoff backoff_;
  Rng rng_;

  int expirations_ = 0;             // lists and watches in a row that ended because a version was forgotten
  std::string version_;             // everything up to here has been told; empty: list
  std::string continue_;            // of the list under way in pages
  bool in_one_piece_ = false;       // the list under way is asked for without pages
  bool listing_ = false;            // a list is under way
  bool streaming_refused_ = false;  // for good
  bool streaming_failed_ = false;   // this time: the list under way comes in pages
  int failures_there_ = 0;          // of the server at watches from this version, in a row
  size_t page_;
  std::shared_ptr<WatchStream> stream_;
  ApiClient::StreamId stream_id_ = 0;
  std::optional<Duration> began_;  // when the server accepted the watch; nothing: not yet
  bool useful_ = false;            // the watch has told something
  int64_t unordered_ = 0;          // counts versions that are no numbers
  net::Loop::TimerId timer_ = 0;
  std::shared_ptr<KindFeed*> self_;  // null in it: closed; answers that come later find that
};

}  // namespace berth::kube
