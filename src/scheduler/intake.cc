// SPDX-License-Identifier: Apache-2.0
#include "scheduler/intake.h"

#include "api/document.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

namespace {

constexpr Duration kRetryPause = std::chrono::milliseconds(200);
constexpr size_t kListPage = 2'000;

// Everything scheduling reads, but not pods that have ended: they hold nothing any more.
store::Selection Interesting() {
  using Field = store::Selection::Field;
  store::Selection selection;
  selection.kinds = {"Pod",
                     "Node",
                     "Namespace",
                     "Service",
                     "ReplicaSet",
                     "ReplicationController",
                     "StatefulSet",
                     "PodDisruptionBudget",
                     "PriorityClass",
                     "PersistentVolume",
                     "StorageClass",
                     "PersistentVolumeClaim",
                     "CSINode",
                     "CSIDriver",
                     "CSIStorageCapacity",
                     "VolumeAttachment"};
  selection.fields = {{Field::Phase, "Succeeded", false}, {Field::Phase, "Failed", false}};
  return selection;
}

}  // namespace

Intake::Intake(store::Store& store, Inbox& inbox, const Clock& clock) : store_(store), inbox_(inbox), clock_(clock) {}

bool Intake::Pump(Duration patience) {
  if (retry_at_) {
    const Timestamp now = clock_.Now();
    // A moment further ahead than the pause was set before the clock was set back.
    if (now < *retry_at_ && *retry_at_ - now <= kRetryPause) return false;
    retry_at_.reset();
  }
  if (watch_ == nullptr) {
    if (!listed_once_ || revision_ == 0) return List();
    if (!OpenWatch()) return false;
  }
  store::WatchItem item = watch_->Next(patience);
  switch (item.kind) {
    case store::WatchItem::Kind::Batch:
      // Told before. Who forgets what is deleted could not tell an old addition from a new one.
      if (item.revision <= revision_) return true;
      for (const store::Event& event : item.events) Take(event);
      HandOver();
      revision_ = item.revision;
      return true;  // also when nothing of it was news: there may be more
    case store::WatchItem::Kind::Bookmark: revision_ = std::max(revision(), item.revision); return true;
    case store::WatchItem::Kind::Expired:
      watch_ = nullptr;
      revision_ = 0;  // list again
      return true;
    case store::WatchItem::Kind::Closed: watch_ = nullptr; return RetryLater({ErrorCode::Unavailable, "watch closed"});
    case store::WatchItem::Kind::Timeout: break;
  }
  return false;
}

// One page a call: whoever pumps both sides must be able to empty the inbox in between.
bool Intake::List() {
  if (list_token_.empty()) {
    const MutexLock lock(mutex_);
    if (closed_) return false;
    ++stats_.relists;
  }
  store::ListOptions options;
  options.selection = Interesting();
  options.limit = kListPage;
  options.continue_token = list_token_;
  if (list_token_.empty()) {
    for (auto& [key, known] : known_) known.listed = false;
  }
  Result<store::Page> page = store_.List(options);
  if (!page) {
    list_token_.clear();  // the pages of a list belong together: it is begun anew
    return RetryLater(page.error());
  }
  for (const store::RecordPtr& record : page->objects) TakeSet(*record);
  list_token_ = page->continue_token;
  if (list_token_.empty()) DropUnlisted();
  HandOver();
  if (!list_token_.empty()) return true;
  revision_ = page->revision;
  if (!std::exchange(listed_once_, true)) inbox_.Post(Synced{});
  OpenWatch();
  return true;
}

bool Intake::OpenWatch() {
  store::WatchOptions options;
  options.selection = Interesting();
  options.after = revision_;
  Result<std::unique_ptr<store::Watch>> watch = store_.OpenWatch(options);
  if (!watch) {
    if (watch.error().code == ErrorCode::Expired || watch.error().code == ErrorCode::TooNew) revision_ = 0;
    return RetryLater(watch.error());
  }
  watch_ = *std::move(watch);
  const MutexLock lock(mutex_);
  if (closed_) watch_->Cancel();
  closable_watch_ = watch_;
  return true;
}

bool Intake::RetryLater(const Error& error) {
  retry_at_ = clock_.Now() + kRetryPause;
  const MutexLock lock(mutex_);
  ++stats_.reconnects;
  stats_.last_error = error.message;
  return false;
}

void Intake::Take(const store::Event& event) {
  if (event.type == store::Event::Type::Deleted) {
    TakeDeleted(*event.object);
  } else {
    TakeSet(*event.object);
  }
}

void Intake::TakeSet(const store::Record& record) {
  const auto it = known_.find(record.key);
  const bool is_known = it != known_.end();
  if (is_known && it->second.revision >= record.modified) {
    it->second.listed = true;  // told before, or older than what was told
    return;
  }
  Result<api::Object> object = Decode(record, is_known ? &it->second : nullptr);
  // Another object under an old name: the deletion in between was missed.
  const bool is_another = is_known && it->second.created != record.created;
  if (is_another) changes_.push_back({ObjectChange::Type::Deleted, it->second.object, record.modified});
  if (!object) {
    if (is_another) {
      known_.erase(it);
    } else if (is_known) {
      it->second.listed = true;
    }
    const MutexLock lock(mutex_);
    ++stats_.undecodable;
    stats_.last_error = object.error().message;
    return;
  }
  changes_.push_back({ObjectChange::Type::Set, *object, record.modified});
  Known known{*std::move(object), record.created, record.modified, record.value, true};
  if (is_known) {
    it->second = std::move(known);
  } else {
    known_.emplace(record.key, std::move(known));
  }
}

void Intake::TakeDeleted(const store::Record& record) {
  const auto it = known_.find(record.key);
  if (it == known_.end() || it->second.revision > record.modified) return;
  changes_.push_back({ObjectChange::Type::Deleted, std::move(it->second.object), record.modified});
  known_.erase(it);
}

// What the store does not list any more was deleted while nobody watched.
void Intake::DropUnlisted() {
  std::vector<store::Key> unlisted;
  for (const auto& [key, known] : known_) {
    if (!known.listed) unlisted.push_back(key);
  }
  std::ranges::sort(unlisted);
  for (const store::Key& key : unlisted) {
    const auto it = known_.find(key);
    changes_.push_back({ObjectChange::Type::Deleted, std::move(it->second.object), it->second.revision});
    known_.erase(it);
  }
}

Result<api::Object> Intake::Decode(const store::Record& record, const Known* known) {
  // A binding changes a field beside the document: the spec and status stay the very same objects.
  if (known != nullptr && known->value == record.value) {
    if (const auto* pod = std::get_if<api::PodPtr>(&known->object)) {
      api::Pod copy = **pod;
      copy.node_name = record.fields.node_name;
      copy.meta.resource_version = std::to_string(record.modified);
      return api::Object(std::make_shared<const api::Pod>(std::move(copy)));
    }
  }
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents,
                         api::ReadDocuments(*record.value, store::ToText(record.key)));
  if (documents.size() != 1) return InvalidError(store::ToText(record.key) + " is not one document");
  api::DecodeErrors errors;
  const api::Value& root = documents.front().root;
  if (record.key.kind == "Pod") {
    api::Pod pod = api::Decode<api::Pod>(root, errors);
    if (!errors.empty()) return InvalidError(errors.Text(store::ToText(record.key)));
    pod.spec = specs_.Shared(root.Find("spec"), pod.spec);
    pod.status = statuses_.Shared(root.Find("status"), pod.status);
    pod.meta.uid = record.uid;
    pod.meta.resource_version = std::to_string(record.modified);
    if (!record.fields.node_name.empty()) pod.node_name = record.fields.node_name;
    return api::Object(std::make_shared<const api::Pod>(std::move(pod)));
  }
  api::Object object = api::DecodeObject(root, errors);
  if (!errors.empty()) return InvalidError(errors.Text(store::ToText(record.key)));
  return object;
}

bool Intake::HandOver() {
  if (changes_.empty()) return false;
  const bool taken = inbox_.PostChanges(changes_);
  changes_.clear();
  return taken;
}

void Intake::Close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  if (closable_watch_ != nullptr) closable_watch_->Cancel();
}

IntakeStats Intake::stats() const {
  const MutexLock lock(mutex_);
  return stats_;
}

}  // namespace berth::scheduler
