// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "scheduler/inbox.h"
#include "scheduler/object_change.h"
#include "scheduler/part_table.h"
#include "store/store.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace berth::scheduler {

// What the intake went through; for operators and tests.
struct IntakeStats {
  uint64_t relists = 0;     // lists, the first included
  uint64_t reconnects = 0;  // watches that broke, and lists and watches that could not be had
  uint64_t undecodable = 0;
  std::string last_error;
};

// Brings the store's objects to the engine: lists them, watches for changes, decodes, and hands over what is news.
// After a cut it goes on where it was; when that place is gone it lists again and tells the difference, deletions
// included.
//
// Pump and the state belong to one thread; Close, stats and revision are for any.
class Intake {
 public:
  Intake(store::Store& store, Inbox& inbox, const Clock& clock);

  // Hands over what there is, waiting at most `patience` for more; says whether there was anything. After a failure it
  // does nothing until the clock has moved on a little.
  bool Pump(Duration patience);
  // When to pump again after a failure; none when a watch is open.
  std::optional<Timestamp> retry_at() const { return retry_at_; }
  // Ends a Pump that waits, for good.
  void Close() BERTH_EXCLUDES(mutex_);
  IntakeStats stats() const BERTH_EXCLUDES(mutex_);
  // Every change up to here has been posted in the inbox. Any thread.
  store::Revision revision() const { return revision_.load(std::memory_order_acquire); }

 private:
  struct Known {
    api::Object object;
    store::Revision created = 0;
    store::Revision revision = 0;
    std::shared_ptr<const std::string> value;
    bool listed = false;  // seen by the list under way
  };

  bool List();
  bool OpenWatch();
  void Take(const store::Event& event);
  void TakeSet(const store::Record& record);
  void TakeDeleted(const store::Record& record);
  void DropUnlisted();
  Result<api::Object> Decode(const store::Record& record, const Known* known);
  bool HandOver();
  bool RetryLater(const Error& error);

  store::Store& store_;
  Inbox& inbox_;
  const Clock& clock_;
  std::shared_ptr<store::Watch> watch_;
  std::atomic<store::Revision> revision_ = 0;  // everything up to here has been handed over; written by Pump's thread
  std::string list_token_;                     // of the list under way; empty when there is none
  bool listed_once_ = false;
  std::optional<Timestamp> retry_at_;
  std::unordered_map<store::Key, Known, store::KeyHash> known_;
  PartTable<api::PodSpec> specs_;
  PartTable<api::PodStatus> statuses_;
  std::vector<ObjectChange> changes_;

  mutable Mutex mutex_;
  std::shared_ptr<store::Watch> closable_watch_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  IntakeStats stats_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::scheduler
