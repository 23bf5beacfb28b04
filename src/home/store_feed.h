// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/label_table.h"
#include "api/whole_document.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "home/feed_ledger.h"
#include "home/home.h"
#include "home/part_table.h"
#include "home/retry_backoff.h"
#include "store/store.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::home {

// Feeds the scheduler from a store: lists everything of the wanted kinds, then watches. A store has one order for all
// kinds, so one watch serves all feeds. When the watch breaks it goes on where it was; when that is too long ago it
// lists again and tells the difference, deletions included. Failures are followed by a pause that grows.
//
// Pump and the state belong to one thread; Close, stats, revision and Find are for any.
class StoreFeed {
 public:
  StoreFeed(store::Store& store, const Clock& clock, HomeListener& listener, std::vector<std::string> kinds,
            api::KeptDocuments keep_documents = {});

  // Hands over what there is, waiting at most `patience` for more; says whether there was anything. After a failure it
  // does nothing until the pause is over.
  bool Pump(Duration patience);
  // When to pump again after a failure; none when a watch is open.
  std::optional<Timestamp> retry_at() const { return retry_at_; }
  // Ends a Pump that waits, for good.
  void Close() BERTH_EXCLUDES(mutex_);
  FeedStats stats() const { return ledger_.stats(); }
  // Returns the object as last reported, or about to be reported; nothing when it is unknown.
  std::optional<api::Object> Find(const store::Key& key) const { return ledger_.Find(key); }
  std::vector<api::Object> OfKind(std::string_view kind) const { return ledger_.OfKind(kind); }
  // Every change up to here has been handed over. Any thread.
  store::Revision revision() const { return revision_.load(std::memory_order_acquire); }

 private:
  bool List();
  bool OpenWatch();
  bool WatchClosed();
  void TakeSet(const store::Record& record);
  Result<api::Object> Decode(const store::Record& record);
  // The pod that is known already and was only bound since; none when it has to be read.
  std::optional<api::Object> BoundSince(const store::Record& record) const;
  Result<api::Object> DecodePod(api::Value document, const store::Record& record);
  bool RetryLater(const Error& error);
  store::Selection Wanted() const;

  store::Store& store_;
  const Clock& clock_;
  HomeListener& listener_;
  const std::vector<std::string> kinds_;
  const api::KeptDocuments keep_documents_;
  std::shared_ptr<store::Watch> watch_;
  bool watch_was_useful_ = false;              // it has told something, or waited in vain
  std::atomic<store::Revision> revision_ = 0;  // everything up to here has been handed over; written by Pump's thread
  std::string list_token_;                     // of the list under way; empty when there is none
  bool listed_once_ = false;
  RetryBackoff backoff_{1};
  std::optional<Timestamp> retry_at_;
  FeedLedger ledger_;
  PartTable<api::PodSpec> specs_;
  PartTable<api::PodStatus> statuses_;
  api::LabelTable labels_;  // of pods

  mutable Mutex mutex_;
  std::shared_ptr<store::Watch> closable_watch_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
};

}  // namespace berth::home
