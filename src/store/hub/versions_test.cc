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

// Versions with the words of a test.
class World {
 public:
  explicit World(size_t max_history_bytes = kPlenty) : versions(max_history_bytes) {}

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

  // "absent" for an object that was not there.
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
  World world;
  world.Put("a", "1");
  world.Put("b", "2");
  world.Put("a", "3");
  world.Remove("a");
  world.Put("a", "5");
  const std::vector<std::string> states = {"absent", "1", "1", "3", "absent", "5"};
  for (size_t revision = 0; revision < states.size(); ++revision) {
    EXPECT_EQ(world.At("a", static_cast<Revision>(revision)), states[revision]) << revision;
  }
  EXPECT_EQ(world.At("b", 1), "absent");
  EXPECT_EQ(world.At("b", 5), "2");
}

TEST(Versions, TheFloorItselfCanBeReadAfterCompaction) {
  World world;
  for (int i = 1; i <= 6; ++i) world.Put("a", std::to_string(i));
  static_cast<void>(world.versions.Compact(4));
  EXPECT_EQ(world.versions.floor(), 4);
  EXPECT_EQ(world.At("a", 4), "4");
  EXPECT_EQ(world.At("a", 5), "5");
  EXPECT_EQ(world.At("a", 3), "absent") << "the chain has given up what is below the floor";
  EXPECT_EQ(world.After(4), (std::vector<Revision>{5, 6}));
}

TEST(Versions, ADeletedObjectLeavesNothingBehindOnceItIsCompacted) {
  World world;
  world.Put("a", "1");
  world.Remove("a");
  world.Put("b", "3");
  EXPECT_NE(world.versions.table().Find(World::KeyOf("a")), nullptr);
  static_cast<void>(world.versions.Compact(2));
  EXPECT_EQ(world.versions.table().Find(World::KeyOf("a")), nullptr);
  EXPECT_EQ(world.versions.objects(), 1U);
}

TEST(Versions, TheHistoryIsBoundedAndKeepsTheNewestBatchHoweverLarge) {
  World world(4096);
  for (int i = 0; i < 1000; ++i) {
    world.Put("a", std::string(100, 'x'));
    ASSERT_LE(world.versions.history_bytes(), 4096U);
  }
  EXPECT_GT(world.versions.floor(), 900);
  EXPECT_GT(world.After(world.versions.floor()).size(), 3U);
  world.Put("a", std::string(10000, 'x'));
  world.Put("a", "small, but it replaces a large one");
  EXPECT_EQ(world.versions.floor(), world.versions.head() - 1);
  EXPECT_EQ(world.After(world.versions.floor()).size(), 1U);
}

TEST(Versions, HistoryBytesGoBackToNothing) {
  World world;
  world.Put("a", "1");
  world.Put("a", "2");
  world.Remove("a");
  EXPECT_GT(world.versions.history_bytes(), 0U);
  static_cast<void>(world.versions.Compact(3));
  EXPECT_EQ(world.versions.history_bytes(), 0U);
}

TEST(Versions, APinnedRevisionStaysReadableAndIsNoLongerWatched) {
  World world;
  world.Put("a", "1");
  world.Put("b", "2");
  world.versions.Pin(2);
  world.Put("a", "3");
  world.Remove("b");
  static_cast<void>(world.versions.Compact(4));
  EXPECT_EQ(world.versions.floor(), 4);
  EXPECT_EQ(world.versions.history_bytes(), 0U);
  EXPECT_EQ(world.At("a", 2), "1");
  EXPECT_EQ(world.At("b", 2), "2");
  EXPECT_TRUE(world.After(4).empty());
  const Versions::Dropped dropped = world.versions.Unpin(2);
  EXPECT_EQ(dropped.batches.size(), 2U) << "the first two fell at once, the pin kept the others";
  EXPECT_EQ(world.At("a", 2), "absent");
  EXPECT_EQ(world.versions.table().Find(World::KeyOf("b")), nullptr);
}

TEST(Versions, TheOldestPinDecides) {
  World world;
  for (int i = 1; i <= 5; ++i) world.Put("a", std::to_string(i));
  world.versions.Pin(2);
  world.versions.Pin(4);
  static_cast<void>(world.versions.Compact(5));
  static_cast<void>(world.versions.Unpin(4));
  EXPECT_EQ(world.At("a", 2), "2");
  static_cast<void>(world.versions.Unpin(2));
  EXPECT_EQ(world.At("a", 4), "absent");
  EXPECT_EQ(world.At("a", 5), "5");
}

TEST(Versions, RemovingAndCreatingInOneChangeMakesANewObject) {
  World world;
  world.Put("a", "1");
  Versions::Change change = world.versions.Begin(2);
  Versions::Entry& entry = *world.versions.table().Find(World::KeyOf("a"));
  world.versions.Remove(change, entry);
  auto next = std::make_shared<Record>(*entry.second.At(1));
  next->value = std::make_shared<const std::string>("2");
  world.versions.Put(change, entry, next);
  static_cast<void>(world.versions.Publish(std::move(change)));
  EXPECT_EQ(entry.second.present()->created, 2);
  EXPECT_EQ(world.At("a", 1), "1");
  EXPECT_EQ(world.At("a", 2), "2");
  static_cast<void>(world.versions.Compact(2));
  EXPECT_EQ(world.At("a", 2), "2");
  EXPECT_EQ(world.versions.objects(), 1U);
}

TEST(Versions, BatchesComeOldestFirstAndNoMoreThanAsked) {
  World world;
  for (int i = 1; i <= 5; ++i) world.Put("a", std::to_string(i));
  EXPECT_EQ(world.After(1, 2), (std::vector<Revision>{2, 3}));
  EXPECT_TRUE(world.After(5).empty());
  EXPECT_TRUE(world.After(77).empty());
}

}  // namespace
}  // namespace berth::store
