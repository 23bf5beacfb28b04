// SPDX-License-Identifier: Apache-2.0
#include "home/feed_ledger.h"

#include <utility>

namespace berth::home {

void FeedLedger::BeginList() {
  known_.BeginList();
  unreadable_before_list_.merge(std::exchange(unreadable_, {}));
  const MutexLock lock(mutex_);
  ++stats_.relists;
}

void FeedLedger::EndList() {
  known_.EndList(changes_);
  for (const store::Key& key : std::exchange(unreadable_before_list_, {})) {
    if (unreadable_.contains(key)) continue;
    listener_.TakeProblem({FeedProblem::Kind::Readable, store::ToText(key), {}});
  }
}

void FeedLedger::Set(const store::Record& record, Result<api::Object> object) {
  if (object) {
    NoteReadable(record.key);
    known_.Set(record, *std::move(object), changes_);
    return;
  }
  known_.SetUnreadable(record, changes_);
  {
    const MutexLock lock(mutex_);
    ++stats_.undecodable;
    stats_.last_error = object.error().message;
  }
  unreadable_.insert(record.key);
  listener_.TakeProblem({FeedProblem::Kind::Unreadable, store::ToText(record.key), object.error().message});
}

void FeedLedger::Deleted(const store::Record& record) {
  NoteReadable(record.key);
  known_.Delete(record, changes_);
}

void FeedLedger::NoteReadable(const store::Key& key) {
  if (unreadable_.empty() || unreadable_.erase(key) == 0) return;
  listener_.TakeProblem({FeedProblem::Kind::Readable, store::ToText(key), {}});
}

void FeedLedger::HandOver() {
  if (!changes_.empty()) listener_.TakeChanges(changes_);
  changes_.clear();
}

void FeedLedger::Interrupted(const std::string& error, bool told) {
  {
    const MutexLock lock(mutex_);
    ++stats_.interruptions;
    stats_.last_error = error;
  }
  if (!told) return;
  is_interrupted_ = true;
  listener_.TakeProblem({FeedProblem::Kind::Interrupted, feed_, error});
}

void FeedLedger::Succeeded() {
  if (std::exchange(is_interrupted_, false)) listener_.TakeProblem({FeedProblem::Kind::Recovered, feed_, {}});
}

FeedStats FeedLedger::stats() const {
  const MutexLock lock(mutex_);
  return stats_;
}

}  // namespace berth::home
