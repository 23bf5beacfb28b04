// SPDX-License-Identifier: Apache-2.0
#include "store_contract/reader.h"

#include "store_contract/words.h"

#include <chrono>
#include <utility>

#include <gtest/gtest.h>

namespace berth::store::contract {
namespace {

using SteadyClock = std::chrono::steady_clock;
// Short, because a bookmark takes the place of the silence at its end.
constexpr Duration kMoment = std::chrono::milliseconds(1);

bool IsLastWord(const WatchItem& item) {
  return item.kind == WatchItem::Kind::Expired || item.kind == WatchItem::Kind::Closed;
}

bool Same(const Record& a, const Record& b) {
  return a.key == b.key && a.uid == b.uid && a.created == b.created && a.modified == b.modified &&
         *a.value == *b.value && a.fields == b.fields;
}

}  // namespace

Reader::Reader(Store& store, const WatchOptions& options)
    : store_(store),
      watch_(Open(store, options)),
      initial_(options.initial_events),
      position_(options.initial_events ? -1 : options.after) {}

Reader::Reader(Store& store, Revision after, const Selection& selection)
    : Reader(store, WatchOptions{.selection = selection, .after = after}) {}

WatchItem Reader::Next() {
  const auto deadline = SteadyClock::now() + kPatience;
  WatchItem item = watch_->Next(Duration::zero());
  while (item.kind == WatchItem::Kind::Timeout && SteadyClock::now() < deadline) item = watch_->Next(kMoment);
  EXPECT_NE(item.kind, WatchItem::Kind::Timeout) << "the watch says nothing";
  Check(item);
  return item;
}

WatchItem Reader::Poll() {
  WatchItem item = watch_->Next(Duration::zero());
  Check(item);
  return item;
}

std::vector<WatchItem> Reader::Until(Revision revision) {
  EXPECT_TRUE(store_.WaitFor(revision, kPatience).has_value());
  std::vector<WatchItem> items;
  while (position_ < revision && !testing::Test::HasFatalFailure()) {
    items.push_back(Next());
    if (IsLastWord(items.back()) || items.back().kind == WatchItem::Kind::Timeout) break;
  }
  return items;
}

std::vector<WatchItem> Reader::BatchesUntil(Revision revision) {
  std::vector<WatchItem> items = Until(revision);
  std::erase_if(items, [](const WatchItem& item) { return item.kind != WatchItem::Kind::Batch; });
  return items;
}

void Reader::Check(const WatchItem& item) {
  EXPECT_EQ(item.events.empty(), item.kind != WatchItem::Kind::Batch) << ToText(item);
  if (item.kind == WatchItem::Kind::Batch) {
    EXPECT_GT(item.revision, position_) << ToText(item);
    for (const Event& event : item.events) {
      if (initial_) {
        EXPECT_EQ(event.type, Event::Type::Added);
        EXPECT_LE(event.object->modified, item.revision);
      } else {
        EXPECT_EQ(event.object->modified, item.revision) << ToText(event);
      }
      EXPECT_EQ(event.previous == nullptr, event.type == Event::Type::Added) << ToText(event);
    }
    if (!initial_) position_ = item.revision;
  } else if (item.kind == WatchItem::Kind::Bookmark) {
    EXPECT_EQ(item.end_of_initial, initial_) << ToText(item);
    EXPECT_GE(item.revision, position_);
    initial_ = false;
    position_ = item.revision;
  } else if (IsLastWord(item)) {
    EXPECT_EQ(watch_->Next(Duration::zero()).kind, item.kind) << "it has said its last word";
  }
}

Mirror::Mirror(const Page& page) {
  for (const RecordPtr& object : page.objects) objects_.emplace(object->key, object);
}

void Mirror::Apply(const WatchItem& item) {
  for (const Event& event : item.events) {
    ++events_;
    const auto found = objects_.find(event.object->key);
    if (event.type == Event::Type::Added) {
      EXPECT_EQ(found, objects_.end()) << "there already: " << ToText(event);
    } else if (found == objects_.end()) {
      ADD_FAILURE() << "not there: " << ToText(event);
    } else if (!Same(*found->second, *event.previous)) {
      ADD_FAILURE() << ToText(*found->second) << " was there: " << ToText(event);
    }
    if (event.type == Event::Type::Deleted) {
      objects_.erase(event.object->key);
    } else {
      objects_[event.object->key] = event.object;
    }
  }
}

void Mirror::Apply(const std::vector<WatchItem>& items) {
  for (const WatchItem& item : items) Apply(item);
}

std::vector<RecordPtr> Mirror::Objects() const {
  std::vector<RecordPtr> objects;
  for (const auto& [key, object] : objects_) objects.push_back(object);
  return objects;
}

void Mirror::ExpectEquals(Store& store, const Selection& selection) const {
  EXPECT_EQ(ToTexts(Objects()), ToTexts(ListNow(store, selection).objects));
}

}  // namespace berth::store::contract
