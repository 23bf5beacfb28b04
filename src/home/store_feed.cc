// SPDX-License-Identifier: Apache-2.0
#include "home/store_feed.h"

#include "api/document.h"

#include <algorithm>
#include <span>
#include <utility>

namespace berth::home {

namespace {

constexpr size_t kListPage = 2'000;

// The document with what the store keeps beside it: who the object is, and where a pod was placed.
std::shared_ptr<const std::string> TextToKeep(api::Value document, const store::Record& record) {
  const auto put = [&](std::string_view part, std::string_view field, const std::string& text) {
    if (text.empty()) return;
    const api::Value* found = document.Find(part);
    api::Value map = found != nullptr && found->is_map() ? *found : api::Value::Map();
    map.Set(field, api::Value::String(text));
    document.Set(part, std::move(map));
  };
  put("metadata", "uid", record.uid);
  put("metadata", "resourceVersion", std::to_string(record.modified));
  put("spec", "nodeName", record.fields.node_name);
  return api::TextToKeep(document);
}

}  // namespace

StoreFeed::StoreFeed(store::Store& store, const Clock& clock, HomeListener& listener, std::vector<std::string> kinds,
                     api::KeptDocuments keep_documents)
    : store_(store),
      clock_(clock),
      listener_(listener),
      kinds_(std::move(kinds)),
      keep_documents_(keep_documents),
      ledger_(listener, "all") {}

// Everything of the wanted kinds, but not pods that have ended: they hold nothing any more.
store::Selection StoreFeed::Wanted() const {
  using Field = store::Selection::Field;
  store::Selection selection;
  selection.kinds = kinds_;
  selection.fields = {{Field::Phase, "Succeeded", false}, {Field::Phase, "Failed", false}};
  return selection;
}

bool StoreFeed::Pump(Duration patience) {
  if (retry_at_) {
    const Timestamp now = clock_.Now();
    // A moment further ahead than any pause was set before the clock was set back.
    if (now < *retry_at_ && *retry_at_ - now <= RetryBackoff::Limit()) return false;
    retry_at_.reset();
  }
  if (watch_ == nullptr) {
    if (!listed_once_ || revision_ == 0) return List();
    if (!OpenWatch()) return false;
  }
  store::WatchItem item = watch_->Next(patience);
  watch_was_useful_ = watch_was_useful_ || item.kind != store::WatchItem::Kind::Closed;
  switch (item.kind) {
    case store::WatchItem::Kind::Batch:
      // Already reported. KnownObjects forgets deleted objects, so it would take an old addition for a new one.
      if (item.revision <= revision_) return true;
      for (const store::Event& event : item.events) {
        if (event.type == store::Event::Type::Deleted) {
          ledger_.Deleted(*event.object);
        } else {
          TakeSet(*event.object);
        }
      }
      ledger_.HandOver();
      backoff_.Succeeded();
      ledger_.Succeeded();
      revision_ = item.revision;
      return true;  // even if nothing in it was new: there may be more
    case store::WatchItem::Kind::Bookmark:
      ledger_.Succeeded();
      revision_ = std::max(revision(), item.revision);
      return true;
    case store::WatchItem::Kind::Expired:
      ledger_.Interrupted("the watch fell too far behind: everything is listed again");
      watch_ = nullptr;
      revision_ = 0;  // list again
      return true;
    case store::WatchItem::Kind::Closed: return WatchClosed();
    case store::WatchItem::Kind::Timeout: break;
  }
  return false;
}

// A watch that ends after having served is opened again at once; one that ends as soon as it is opened, after a pause.
bool StoreFeed::WatchClosed() {
  watch_ = nullptr;
  if (!watch_was_useful_) return RetryLater({ErrorCode::Unavailable, "the watch was closed at once"});
  ledger_.Interrupted("the watch was closed", /*told=*/false);
  const MutexLock lock(mutex_);
  return !closed_;
}

// One page a call: whoever pumps both sides must be able to empty the inbox in between.
bool StoreFeed::List() {
  if (list_token_.empty()) {
    {
      const MutexLock lock(mutex_);
      if (closed_) return false;
    }
    ledger_.BeginList();
  }
  store::ListOptions options;
  options.selection = Wanted();
  options.limit = kListPage;
  options.continue_token = list_token_;
  Result<store::Page> page = store_.List(options);
  if (!page) {
    list_token_.clear();  // the pages of a list belong together: it is begun anew
    return RetryLater(page.error());
  }
  for (const store::RecordPtr& record : page->objects) TakeSet(*record);
  list_token_ = page->continue_token;
  if (list_token_.empty()) ledger_.EndList();
  ledger_.HandOver();
  if (!list_token_.empty()) return true;
  revision_ = page->revision;
  ledger_.Succeeded();
  if (!std::exchange(listed_once_, true)) listener_.Synced();
  OpenWatch();
  return true;
}

bool StoreFeed::OpenWatch() {
  store::WatchOptions options;
  options.selection = Wanted();
  options.after = revision_;
  Result<std::unique_ptr<store::Watch>> watch = store_.OpenWatch(options);
  if (!watch) {
    if (watch.error().code == ErrorCode::Expired || watch.error().code == ErrorCode::TooNew) revision_ = 0;
    return RetryLater(watch.error());
  }
  watch_ = *std::move(watch);
  watch_was_useful_ = false;
  const MutexLock lock(mutex_);
  if (closed_) watch_->Cancel();
  closable_watch_ = watch_;
  return true;
}

bool StoreFeed::RetryLater(const Error& error) {
  const Timestamp now = clock_.Now();
  retry_at_ = now + backoff_.NextPause(now);
  ledger_.Interrupted(error.message);
  return false;
}

void StoreFeed::TakeSet(const store::Record& record) {
  if (!ledger_.IsOld(record)) ledger_.Set(record, Decode(record));
}

// A binding changes a field beside the document: the spec and status stay the very same objects.
std::optional<api::Object> StoreFeed::BoundSince(const store::Record& record) const {
  const std::optional<api::Object> known = ledger_.FindReadFrom(record);
  if (!known) return std::nullopt;
  const auto* pod = std::get_if<api::PodPtr>(&*known);
  if (pod == nullptr) return std::nullopt;
  api::Pod copy = **pod;
  copy.node_name = record.fields.node_name;
  copy.meta.resource_version = std::to_string(record.modified);
  if (keep_documents_.Of(copy)) return std::nullopt;  // the text to keep says these, too
  copy.document = nullptr;
  return api::Object(std::make_shared<const api::Pod>(std::move(copy)));
}

Result<api::Object> StoreFeed::Decode(const store::Record& record) {
  if (std::optional<api::Object> known = BoundSince(record)) return *std::move(known);
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents,
                         api::ReadDocuments(*record.value, store::ToText(record.key)));
  if (documents.size() != 1) return InvalidError(store::ToText(record.key) + " is not one document");
  api::Value& root = documents.front().root;
  if (record.key.kind == api::KindOf<api::Pod>()) return DecodePod(std::move(root), record);
  api::DecodeErrors errors;
  if (record.key.kind == api::KindOf<api::Node>() && keep_documents_.nodes) {
    api::Node node = api::Decode<api::Node>(root, errors);
    if (!errors.empty()) return InvalidError(errors.Text(store::ToText(record.key)));
    node.document = TextToKeep(std::move(root), record);
    return api::WithIdentity(std::make_shared<const api::Node>(std::move(node)), record.uid,
                             std::to_string(record.modified));
  }
  // A kind that Berth has no type for is there because somebody asked for it.
  const api::Object object = api::DecodeObject(root, std::span(&record.key.kind, 1), errors);
  if (!errors.empty()) return InvalidError(errors.Text(store::ToText(record.key)));
  return api::WithIdentity(object, record.uid, std::to_string(record.modified));
}

Result<api::Object> StoreFeed::DecodePod(api::Value document, const store::Record& record) {
  api::DecodeErrors errors;
  api::Pod pod = api::Decode<api::Pod>(document, errors);
  if (!errors.empty()) return InvalidError(errors.Text(store::ToText(record.key)));
  pod.spec = specs_.Shared(document.Find("spec"), pod.spec);
  pod.status = statuses_.Shared(document.Find("status"), pod.status);
  pod.meta.labels = labels_.Shared(pod.meta.labels);
  pod.meta.uid = record.uid;
  pod.meta.resource_version = std::to_string(record.modified);
  if (!record.fields.node_name.empty()) pod.node_name = record.fields.node_name;
  if (keep_documents_.Of(pod)) pod.document = TextToKeep(std::move(document), record);
  return api::Object(std::make_shared<const api::Pod>(std::move(pod)));
}

void StoreFeed::Close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  if (closable_watch_ != nullptr) closable_watch_->Cancel();
}

}  // namespace berth::home
