// SPDX-License-Identifier: Apache-2.0
#include "store/faulty_watch.h"

#include <algorithm>

namespace berth::store {

void WatchLine::Seal(Fate fate, Revision floor) {
  {
    MutexLock lock(mutex_);
    if (fate_ != Fate::GoOn) return;
    fate_ = fate;
    floor_ = floor;
  }
  // Who waits for the next word is to hear of it.
  inner_->Cancel();
}

WatchLine::Fate WatchLine::fate() const {
  MutexLock lock(mutex_);
  return fate_;
}

Revision WatchLine::floor() const {
  MutexLock lock(mutex_);
  return floor_;
}

WatchItem FaultyWatch::Next(Duration patience) {
  if (line_->fate() == WatchLine::Fate::GoOn) {
    const WatchLine::Fate fate = faults_->NextWord(words_);
    // A watch that expires by chance names the lowest floor that would make it so.
    if (fate != WatchLine::Fate::GoOn) line_->Seal(fate, told_ + 1);
  }
  if (line_->fate() != WatchLine::Fate::GoOn) return LastWord();
  WatchItem item = line_->inner().Next(patience);
  if (line_->fate() != WatchLine::Fate::GoOn) return LastWord();
  if (item.kind != WatchItem::Kind::Timeout) ++words_;
  told_ = std::max(told_, item.revision);
  return item;
}

WatchItem FaultyWatch::LastWord() {
  const WatchLine::Fate fate = line_->fate();
  if (!counted_) faults_->CountFate(fate);
  counted_ = true;
  if (fate == WatchLine::Fate::Expire) return {.kind = WatchItem::Kind::Expired, .revision = line_->floor()};
  return {.kind = WatchItem::Kind::Closed, .revision = told_};
}

void FaultyWatch::Cancel() { line_->inner().Cancel(); }

}  // namespace berth::store
