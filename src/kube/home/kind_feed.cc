// SPDX-License-Identifier: Apache-2.0
#include "kube/home/kind_feed.h"

#include "api/document.h"
#include "api/kinds.h"
#include "kube/home/after_watch.h"
#include "kube/proto/envelope.h"
#include "kube/proto/scan.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

// As long as client-go watches before it lets the server end the watch; up to twice that, by chance.
constexpr int64_t kWatchSeconds = 300;
// How long to wait before everything is listed again because the server has forgotten a version.
constexpr Duration kExpired = std::chrono::milliseconds(100);

// Of a list in one piece.
constexpr size_t kMostInOnePiece = size_t{1} << 30U;
constexpr Duration kPatienceForOnePiece = std::chrono::minutes(5);

}  // namespace

KindFeed::KindFeed(std::string kind, ApiClient& client, home::HomeListener& listener, const Clock& clock,
                   KindFeedOptions options, std::function<void()> synced)
    : kind_(std::move(kind)),
      client_(client),
      clock_(clock),
      options_(std::move(options)),
      synced_(std::move(synced)),
      resource_(ResourceOf(kind_)),
      decoder_(kind_, options_.keep_documents),
      ledger_(listener, kind_),
      backoff_(options_.seed, options_.first_pause),
      rng_(options_.seed),
      page_(options_.page),
      self_(std::make_shared<KindFeed*>(this)) {}

KindFeed::~KindFeed() { *self_ = nullptr; }

void KindFeed::Start() { Continue(); }

void KindFeed::Close() {
  *self_ = nullptr;
  client_.loop().Cancel(timer_);
  if (stream_ == nullptr) return;
  stream_->Silence();
  client_.Cancel(stream_id_);
  stream_ = nullptr;
}

void KindFeed::Continue() {
  if (!resource_) return Discover();
  if (!version_.empty() && !listing_) return OpenWatch();
  listing_ = true;
  continue_.clear();
  in_one_piece_ = false;
  ledger_.BeginList();
  ListsByWatch() ? OpenWatch() : List();
}

void KindFeed::Ask(ApiRequest request, void (KindFeed::*take)(ApiResponse&)) {
  client_.Send(std::move(request), [self = self_, take](ApiResponse& response) {
    if (*self != nullptr) ((*self)->*take)(response);
  });
}

// A custom kind's plural and version are the server's to say.
void KindFeed::Discover() {
  const std::string group = kind_.substr(kind_.find('.') + 1);
  Ask({.path = "/apis/" + group}, &KindFeed::TakeGroup);
}

void KindFeed::TakeGroup(ApiResponse& response) {
  if (!response.ok()) return RetryLater(ErrorOf(response).message, response.RetryAfter());
  const Result<std::string> version = PreferredVersion(response.body);
  if (!version) return RetryLater(version.error().message, {});
  Ask({.path = "/apis/" + *version}, &KindFeed::TakeVersion);
}

void KindFeed::TakeVersion(ApiResponse& response) {
  if (!response.ok()) return RetryLater(ErrorOf(response).message, response.RetryAfter());
  Result<Resource> found = ResourceIn(response.body, kind_);
  if (!found) return RetryLater(found.error().message, {});
  resource_ = *std::move(found);
  Continue();
}

std::string KindFeed::Query() const {
  return options_.field_selector.empty() ? std::string() : "&fieldSelector=" + Escaped(options_.field_selector);
}

std::string KindFeed::Accepted() const {
  const bool may_be_protobuf = resource_->in_protobuf && !options_.keep_documents.OfSome(kind_);
  return may_be_protobuf ? options_.accept : std::string(kJson);
}

void KindFeed::List() {
  ApiRequest request;
  request.path = fmt::format("{}?limit={}{}", resource_->Path(), in_one_piece_ ? 0 : page_, Query());
  if (!continue_.empty()) request.path += "&continue=" + Escaped(continue_);
  request.accept = Accepted();
  request.timeout = in_one_piece_ ? kPatienceForOnePiece : std::chrono::seconds(60);
  request.max_answer = in_one_piece_ ? kMostInOnePiece : options_.max_answer;
  Ask(std::move(request), &KindFeed::TakePage);
}

void KindFeed::TakePage(ApiResponse& response) {
  if (response.too_large && page_ > 1 && !in_one_piece_) {
    page_ /= 2;
    return List();
  }
  if (!response.ok()) return PageFailed(response);
  const Result<std::string> version = ReadPage(response);
  if (!version) return RetryLater(version.error().message, {});
  if (!continue_.empty()) {
    ledger_.HandOver();
    return List();
  }
  version_ = *version;
  EndList();
  OpenWatch();
}

// All pages are of the version of the first. Where the server forgets it before the last, as when its storage is
// compacted often, it would forget the next as well: the list comes in one piece then, once, as upstream's pager does.
void KindFeed::PageFailed(const ApiResponse& response) {
  const ApiError error = ErrorOf(response);
  if (!IsExpired(error) || continue_.empty()) return RetryLater(error.message, response.RetryAfter());
  ledger_.Interrupted(error.message, /*told=*/false);
  continue_.clear();
  in_one_piece_ = true;
  ledger_.BeginList();
  List();
}

// Takes the items in, remembers where to continue, and says which version the list is of.
Result<std::string> KindFeed::ReadPage(const ApiResponse& response) {
  if (!response.head.Header("content-type").starts_with(proto::kContentType)) return ReadJsonPage(response.body);
  BERTH_ASSIGN_OR_RETURN(const proto::Envelope envelope, proto::OpenEnvelope(response.body));
  BERTH_ASSIGN_OR_RETURN(const proto::ListMeta meta,
                         proto::ReadList(envelope.message, [&](std::string_view item) -> Result<void> {
                           BERTH_ASSIGN_OR_RETURN(WatchedEvent event, IdentityOf(item, WatchedEvent::Type::Set));
                           Take(event);
                           return {};
                         }));
  continue_ = meta.continue_token;
  return meta.resource_version;
}

Result<std::string> KindFeed::ReadJsonPage(std::string_view body) {
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(body, kind_ + " list"));
  if (documents.size() != 1) return InvalidError(kind_ + " list: not one document");
  api::Value& list = documents.front().root;
  const api::Value* version = list.Find("apiVersion");
  const api::Value* items = list.Find("items");
  const api::Value* meta = list.Find("metadata");
  if (version == nullptr || meta == nullptr) return InvalidError(kind_ + " list: not a list");
  for (const api::Value& item : items == nullptr ? api::Value::Items() : items->items()) {
    if (!item.is_map()) {
      ledger_.Set({.key = {kind_, "", ""}}, InvalidError("an item of the list is not an object"));
      continue;
    }
    api::Value whole = item;  // items do not say their kind
    whole.Set("apiVersion", *version);
    whole.Set("kind", api::Value::String(kind_.substr(0, kind_.find('.'))));
    Take(IdentityOf(whole, WatchedEvent::Type::Set));
  }
  const api::Value* token = meta->Find("continue");
  continue_ = token == nullptr ? std::string() : token->text();
  const api::Value* resource_version = meta->Find("resourceVersion");
  return resource_version == nullptr ? std::string() : resource_version->text();
}

void KindFeed::EndList() {
  listing_ = false;
  streaming_failed_ = false;
  failures_there_ = 0;
  ledger_.EndList();
  ledger_.HandOver();
  ledger_.Succeeded();
  if (synced_) std::exchange(synced_, nullptr)();
}

void KindFeed::OpenWatch() {
  const auto seconds = kWatchSeconds + static_cast<int64_t>(rng_.Below(kWatchSeconds));
  ApiRequest request;
  request.path = fmt::format("{}?watch=true&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}{}{}",
                             resource_->Path(), seconds, Escaped(version_), Query(),
                             listing_ ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" : "");
  request.accept = Accepted();
  request.timeout = std::nullopt;
  useful_ = false;
  began_.reset();
  stream_ = std::make_shared<WatchStream>(static_cast<WatchListener&>(*this));
  stream_id_ = client_.Open(std::move(request), stream_);
}

void KindFeed::Take(const WatchedEvent& event) {
  store::Record record;
  record.key = {kind_, event.namespace_, event.name};
  record.uid = event.uid;
  // Objects of one name are told apart by their uid.
  record.created = static_cast<store::Revision>(std::hash<std::string>()(event.uid) >> 1U);
  const std::string& version = event.resource_version;
  const auto [end, problem] = std::from_chars(version.data(), version.data() + version.size(), record.modified);
  if (problem != std::errc() || end != version.data() + version.size()) record.modified = ++unordered_;
  if (event.type == WatchedEvent::Type::Deleted) return ledger_.Deleted(record);
  // A list is of the latest state, also when its versions are lower than before: a cluster restored from a backup.
  if (listing_ ? ledger_.IsTold(record) : ledger_.IsOld(record)) return;
  ledger_.Set(record,
              event.document != nullptr ? decoder_.ReadDocument(*event.document) : decoder_.ReadMessage(event.message));
}

void KindFeed::WatchBegan() { began_ = client_.loop().Now(); }

void KindFeed::WatchTold(const WatchedEvent& event) {
  useful_ = true;
  switch (event.type) {
    case WatchedEvent::Type::Set:
    case WatchedEvent::Type::Deleted:
      Take(event);
      // The objects of a list come in any order: only its end says how far it goes.
      if (!listing_) version_ = event.resource_version;
      break;
    case WatchedEvent::Type::Bookmark:
      if (!listing_) version_ = event.resource_version;
      break;
    case WatchedEvent::Type::InitialEnd:
      version_ = event.resource_version;
      if (listing_) EndList();
      break;
  }
}

void KindFeed::WatchPaused() {
  ledger_.HandOver();
  if (listing_) return;
  ledger_.Succeeded();
  if (Served() < kServed) return;
  backoff_.Succeeded();
  expirations_ = 0;
  failures_there_ = 0;
}

Duration KindFeed::Served() const { return began_ ? client_.loop().Now() - *began_ : Duration(0); }

void KindFeed::WatchEnded(const ApiError& error, std::optional<Duration> retry_after) {
  client_.Cancel(stream_id_);
  stream_ = nullptr;
  ledger_.HandOver();
  if (error.status == 404 && !ResourceOf(kind_)) {
    resource_.reset();  // the version may not be served any more
    version_.clear();
    listing_ = false;
  }
  if (error.status >= 500) ++failures_there_;
  const bool is_closed = error.message.empty();
  switch (AfterWatch({listing_, error, retry_after, useful_, Served(), failures_there_})) {
    case NextStep::GoOn:
      ledger_.Interrupted(is_closed ? "the watch was closed" : error.message, /*told=*/!is_closed);
      return Continue();
    case NextStep::ListLater:
      version_.clear();
      failures_there_ = 0;
      [[fallthrough]];
    case NextStep::RetryLater:
      return RetryLater(is_closed ? "the watch was closed at once" : error.message, retry_after);
    case NextStep::ListSoon: return ListSoon(error.message);
    case NextStep::ListInPagesAlways: streaming_refused_ = true; [[fallthrough]];
    case NextStep::ListInPages: streaming_failed_ = true; return Continue();
  }
}

// The server is well and has only forgotten: a short pause will do, which grows while it goes on like that.
void KindFeed::ListSoon(const std::string& error) {
  constexpr int kMostDoublings = 4;
  version_.clear();
  failures_there_ = 0;
  listing_ = false;
  ledger_.Interrupted(error);
  const Duration pause = kExpired * (1 << std::min(expirations_, kMostDoublings));
  ++expirations_;
  timer_ = client_.loop().After(
      pause + Duration(static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(pause.count())))), [this] { Continue(); });
}

void KindFeed::RetryLater(const std::string& error, std::optional<Duration> retry_after) {
  streaming_failed_ = false;
  ledger_.Interrupted(error);
  const Duration pause = std::max(backoff_.NextPause(clock_.Now()), retry_after.value_or(Duration(0)));
  timer_ = client_.loop().After(pause, [this] { Continue(); });
}

}  // namespace berth::kube
