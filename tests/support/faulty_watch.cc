// SPDX-License-Identifier: Apache-2.0
#include "support/faulty_watch.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace berth::test {

using store::Event;
using store::Revision;
using store::WatchItem;

namespace {

// The objects from the last that changed to the first, each with its changes in their order, and then with those told
// again that are out of date. What would bring a former object of that name back to life is left out: who is told of it
// cannot know better.
std::vector<Event> Mixed(const std::vector<Event>& events) {
  std::vector<store::Key> keys;
  std::map<store::Key, std::vector<Event>> changes;
  for (const Event& event : events) {
    std::vector<Event>& own = changes[event.object->key];
    if (own.empty()) keys.push_back(event.object->key);
    own.push_back(event);
  }
  std::ranges::reverse(keys);
  std::vector<Event> mixed;
  for (const store::Key& key : keys) {
    const std::vector<Event>& own = changes.at(key);
    mixed.insert(mixed.end(), own.begin(), own.end());
    const Event& last = own.back();
    if (last.type == Event::Type::Deleted) continue;
    std::copy_if(own.begin(), std::prev(own.end()), std::back_inserter(mixed), [&](const Event& old) {
      return old.type == Event::Type::Deleted || old.object->created == last.object->created;
    });
  }
  return mixed;
}

uint64_t CountDisorders(const std::vector<Event>& events) {
  uint64_t count = 0;
  for (size_t i = 1; i < events.size(); ++i) {
    if (events[i].object->modified < events[i - 1].object->modified) ++count;
  }
  return count;
}

}  // namespace

void WatchLine::Seal(WatchFault end, Revision floor) {
  {
    MutexLock lock(mutex_);
    if (end_ != WatchFault::None) return;
    end_ = end;
    floor_ = floor;
  }
  // Who waits for the next item is to hear of it.
  inner_->Cancel();
}

WatchFault WatchLine::end() const {
  MutexLock lock(mutex_);
  return end_;
}

Revision WatchLine::floor() const {
  MutexLock lock(mutex_);
  return floor_;
}

WatchItem FaultyWatch::Next(Duration patience) {
  bool mixes = false;
  if (line_->end() == WatchFault::None) {
    const WatchFault fault = faults_->NextItem(items_);
    if (fault == WatchFault::Cut || fault == WatchFault::Expire) {
      // A watch that expires by itself names the lowest floor that would make it so.
      line_->Seal(fault, told_ + 1);
    } else {
      faults_->CountWatchFault(fault);
      mixes = fault == WatchFault::Mix;
      if (fault == WatchFault::RepeatLast && !latest_.empty()) return latest_[turn_++ % latest_.size()];
    }
  }
  if (line_->end() != WatchFault::None) return LastItem();
  WatchItem item = mixes ? FetchMixed(patience) : Fetch(patience);
  if (line_->end() != WatchFault::None) return LastItem();
  return Told(std::move(item));
}

WatchItem FaultyWatch::Told(WatchItem item) {
  if (item.kind != WatchItem::Kind::Timeout) ++items_;
  told_ = std::max(told_, item.revision);
  if (item.kind == WatchItem::Kind::Batch) {
    constexpr size_t kRemembered = 8;
    faults_->BatchTold();
    if (latest_.size() == kRemembered) latest_.erase(latest_.begin());
    latest_.push_back(item);
  }
  return item;
}

WatchItem FaultyWatch::LastItem() {
  const WatchFault end = line_->end();
  if (!std::exchange(is_over_, true)) faults_->CountWatchFault(end);
  if (end == WatchFault::Expire) return {.kind = WatchItem::Kind::Expired, .revision = line_->floor()};
  return {.kind = WatchItem::Kind::Closed, .revision = told_};
}

WatchItem FaultyWatch::Fetch(Duration patience) {
  if (!read_ahead_) return line_->inner().Next(patience);
  WatchItem item = *std::move(read_ahead_);
  read_ahead_.reset();
  return item;
}

WatchItem FaultyWatch::FetchMixed(Duration patience) {
  WatchItem item = Fetch(patience);
  if (item.kind != WatchItem::Kind::Batch) return item;
  WatchItem next = Fetch(Duration::zero());
  while (next.kind == WatchItem::Kind::Batch) {
    item.revision = next.revision;
    item.events.insert(item.events.end(), next.events.begin(), next.events.end());
    next = Fetch(Duration::zero());
  }
  if (next.kind != WatchItem::Kind::Timeout) read_ahead_ = std::move(next);
  item.events = Mixed(item.events);
  disorders_->fetch_add(CountDisorders(item.events));
  return item;
}

}  // namespace berth::test
