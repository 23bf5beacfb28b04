// SPDX-License-Identifier: Apache-2.0
#include "store/hub/versions.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::store {
namespace {

constexpr size_t kPlenty = size_t{1} << 30U;

// Versions with shorthands for tests.
class History {
 public:
  explicit History(size_t max_history_bytes = kPlenty) : versions(max_history_bytes) {}

  Revision Put(const std::string& name, const std::string& value) {
    auto record = std::make_shared<Record>();
    record->key = KeyOf(name);
    record->value = std::make_shared<const std::string>(value);
    Versions::Change change = versions.Begin(1);
    versions.Put(change, versions.table().FindOrAdd(record->key), record);
    return Publish(std::move(change));
  }

  Revision Remove(const std::string& name) {
    Versions::Change change = versions.Begin(1);
    versions.Remove(change, *versions.table().Find(KeyOf(name)));
    return Publish(std::move(change));
  }

  // "absent" for an object that did not exist.
  std::string At(const std::string& name, Revision revision) {
    const Versions::Entry* entry = versions.table().Find(KeyOf(name));
    const RecordPtr& record = entry == nullptr ? kNoRecord : entry->second.At(revision);
    return record == nullptr ? "absent" : *record->value;
  }

  std::vector<Revision> After(Revision revision, size_t max = 1000) const {
    std::vector<BatchPtr> batches;
    versions.BatchesAfter(revision, max, batches);
    std::vector<Revision> revisions;
    for (const BatchPtr& batch : batches) revisions.push_back(batch->revision);
    return revisions;
  }

  static Key KeyOf(const std::string& name) { return {"Thing", "", name}; }

  Versions versions;

 private:
  Revision Publish(Versions::Change change) {
    const Revision revision = change.revision;
    static_cast<void>(versions.Publish(std::move(change)));
    return revision;
  }
};

TEST(Versions, EveryRevisionAboveTheFloorCanBeRead) {
  History history;
  history.Put("a", "1");
  history.Put("b", "2");
  history.Put("a", "3");
  history.Remove("a");
  history.Put("a", "5");
  const std::vector<std::string> states = {"absent", "1", "1", "3", "absent", "5"};
  for (size_t revision = 0; revision < states.size(); ++revision) {
    EXPECT_EQ(history.At("a", static_cast<Revision>(revision)), states[revision]) << revision;
  }
  EXPECT_EQ(history.At("b", 1), "absent");
  EXPECT_EQ(history.At("b", 5), "2");
}

TEST(Versions, TheFloorItselfCanBeReadAfterCompaction) {
  History history;
  for (int i = 1; i <= 6; ++i) history.Put("a", std::to_string(i));
  static_cast<void>(history.versions.Compact(4));
  EXPECT_EQ(history.versions.floor(), 4);
  EXPECT_EQ(history.At("a", 4), "4");
  EXPECT_EQ(history.At("a", 5), "5");
  EXPECT_EQ(history.At("a", 3), "absent") << "the chain has given up what is below the floor";
  EXPECT_EQ(history.After(4), (std::vector<Revision>{5, 6}));
}

TEST(Versions, ADeletedObjectLeavesNothingBehindOnceItIsCompacted) {
  History history;
  history.Put("a", "1");
  history.Remove("a");
  history.Put("b", "3");
  EXPECT_NE(history.versions.table().Find(History::KeyOf("a")), nullptr);
  static_cast<void>(history.versions.Compact(2));
  EXPECT_EQ(history.versions.table().Find(History::KeyOf("a")), nullptr);
  EXPECT_EQ(history.versions.objects(), 1U);
}

TEST(Versions, TheHistoryIsBoundedAndKeepsTheNewestBatchHoweverLarge) {
  History history(4096);
  for (int i = 0; i < 1000; ++i) {
    history.Put("a", std::string(100, 'x'));
    ASSERT_LE(history.versions.history_bytes(), 4096U);
  }
  EXPECT_GT(history.versions.floor(), 900);
  EXPECT_GT(history.After(history.versions.floor()).size(), 3U);
  history.Put("a", std::string(10000, 'x'));
  history.Put("a", "small, but it replaces a large one");
  EXPECT_EQ(history.versions.floor(), history.versions.head() - 1);
  EXPECT_EQ(history.After(history.versions.floor()).size(), 1U);
}

TEST(Versions, HistoryBytesGoBackToNothing) {
  History history;
  history.Put("a", "1");
  history.Put("a", "2");
  history.Remove("a");
  EXPECT_GT(history.versions.history_bytes(), 0U);
  static_cast<void>(history.versions.Compact(3));
  EXPECT_EQ(history.versions.history_bytes(), 0U);
}

TEST(Versions, APinnedRevisionStaysReadableAndIsNoLongerWatched) {
  History history;
  history.Put("a", "1");
  history.Put("b", "2");
  history.versions.Pin(2);
  history.Put("a", "3");
  history.Remove("b");
  static_cast<void>(history.versions.Compact(4));
  EXPECT_EQ(history.versions.floor(), 4);
  EXPECT_EQ(history.versions.history_bytes(), 0U);
  EXPECT_EQ(history.At("a", 2), "1");
  EXPECT_EQ(history.At("b", 2), "2");
  EXPECT_TRUE(history.After(4).empty());
  const Versions::Dropped dropped = history.versions.Unpin(2);
  EXPECT_EQ(dropped.batches.size(), 2U) << "the first two fell at once, the pin kept the others";
  EXPECT_EQ(history.At("a", 2), "absent");
  EXPECT_EQ(history.versions.table().Find(History::KeyOf("b")), nullptr);
}

TEST(Versions, TheOldestPinDecides) {
  History history;
  for (int i = 1; i <= 5; ++i) history.Put("a", std::to_string(i));
  history.versions.Pin(2);
  history.versions.Pin(4);
  static_cast<void>(history.versions.Compact(5));
  static_cast<void>(history.versions.Unpin(4));
  EXPECT_EQ(history.At("a", 2), "2");
  static_cast<void>(history.versions.Unpin(2));
  EXPECT_EQ(history.At("a", 4), "absent");
  EXPECT_EQ(history.At("a", 5), "5");
}

TEST(Versions, RemovingAndCreatingInOneChangeMakesANewObject) {
  History history;
  history.Put("a", "1");
  Versions::Change change = history.versions.Begin(2);
  Versions::Entry& entry = *history.versions.table().Find(History::KeyOf("a"));
  history.versions.Remove(change, entry);
  auto next = std::make_shared<Record>(*entry.second.At(1));
  next->value = std::make_shared<const std::string>("2");
  history.versions.Put(change, entry, next);
  static_cast<void>(history.versions.Publish(std::move(change)));
  EXPECT_EQ(entry.second.present()->created, 2);
  EXPECT_EQ(history.At("a", 1), "1");
  EXPECT_EQ(history.At("a", 2), "2");
  static_cast<void>(history.versions.Compact(2));
  EXPECT_EQ(history.At("a", 2), "2");
  EXPECT_EQ(history.versions.objects(), 1U);
}

TEST(Versions, BatchesComeOldestFirstAndNoMoreThanAsked) {
  History history;
  for (int i = 1; i <= 5; ++i) history.Put("a", std::to_string(i));
  EXPECT_EQ(history.After(1, 2), (std::vector<Revision>{2, 3}));
  EXPECT_TRUE(history.After(5).empty());
  EXPECT_TRUE(history.After(77).empty());
}

}  // namespace
}  // namespace berth::store
