// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "home/home.h"
#include "home/known_objects.h"
#include "store/record.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace berth::home {

// What a feed has told its listener: objects, those that could not be read, and how lists and watches are doing. Makes
// changes of states, so that whoever lists and watches only says what came. One thread; stats and Find are for any.
class FeedLedger {
 public:
  // `feed` names it in problems. The listener outlives this.
  FeedLedger(HomeListener& listener, std::string feed) : listener_(listener), feed_(std::move(feed)) {}

  // A list of everything begins, or begins anew.
  void BeginList() BERTH_EXCLUDES(mutex_);
  // It is complete: what it did not mention is gone.
  void EndList();

  // True when this state or a later one has been told already.
  bool IsOld(const store::Record& record) { return known_.IsOld(record); }
  // True when this very state is the one that was told last: for lists of a home that may have been put back to an
  // earlier state.
  bool IsTold(const store::Record& record) { return known_.IsTold(record); }
  // An object that was not old; the error says why it cannot be read.
  void Set(const store::Record& record, Result<api::Object> object) BERTH_EXCLUDES(mutex_);
  void Deleted(const store::Record& record);
  // Tells the listener of all changes since the last call.
  void HandOver();

  // A list or watch failed. Without `told`, it is only counted.
  void Interrupted(const std::string& error, bool told = true) BERTH_EXCLUDES(mutex_);
  // A list or watch works.
  void Succeeded();

  FeedStats stats() const BERTH_EXCLUDES(mutex_);
  // The object as last told, or about to be; nothing when it is unknown.
  std::optional<api::Object> Find(const store::Key& key) const { return known_.Find(key); }
  std::vector<api::Object> OfKind(std::string_view kind) const { return known_.OfKind(kind); }
  // The object of this key if it was read from this very document.
  std::optional<api::Object> FindReadFrom(const store::Record& record) const { return known_.FindReadFrom(record); }

 private:
  void NoteReadable(const store::Key& key);

  HomeListener& listener_;
  const std::string feed_;
  KnownObjects known_;
  std::set<store::Key> unreadable_;              // reported
  std::set<store::Key> unreadable_before_list_;  // the list in progress may still contain them
  bool is_interrupted_ = false;                  // reported
  std::vector<ObjectChange> changes_;

  mutable Mutex mutex_;
  FeedStats stats_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::home
