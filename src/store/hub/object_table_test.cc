// SPDX-License-Identifier: Apache-2.0
#include "store/hub/object_table.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::store {
namespace {

std::vector<std::string> Names(ObjectTable& table, const std::vector<std::string>& kinds, const std::string& space,
                               size_t steps, ObjectTable::Walk& walk, bool& finished) {
  std::vector<std::string> names;
  finished = table.Scan(kinds, space, steps, walk, [&](const ObjectTable::Entry& entry) {
    names.push_back(entry.first.kind + "/" + entry.first.namespace_ + "/" + entry.first.name);
    return true;
  });
  return names;
}

std::vector<std::string> AllNames(ObjectTable& table, const std::vector<std::string>& kinds, const std::string& space) {
  ObjectTable::Walk walk;
  bool finished = false;
  return Names(table, kinds, space, 1000, walk, finished);
}

void Fill(ObjectTable& table) {
  for (const char* kind : {"Pod", "Node", "Claim"}) {
    for (const char* space : {"b", "a", ""}) {
      for (const char* name : {"y", "x"}) table.FindOrAdd({kind, space, name});
    }
  }
}

TEST(ObjectTable, FindsWhatWasAddedAndForgetsWhatWasErased) {
  ObjectTable table;
  const Key key{"Pod", "a", "x"};
  EXPECT_EQ(table.Find(key), nullptr);
  ObjectTable::Entry& entry = table.FindOrAdd(key);
  EXPECT_EQ(table.Find(key), &entry);
  EXPECT_EQ(&table.FindOrAdd(key), &entry);
  EXPECT_EQ(table.Find({"Pod", "ax", ""}), nullptr);
  table.Erase(entry);
  EXPECT_EQ(table.Find(key), nullptr);
  EXPECT_TRUE(AllNames(table, {}, "").empty());
}

TEST(ObjectTable, WalksInOrderThroughWhatMayBeSelected) {
  ObjectTable table;
  Fill(table);
  EXPECT_EQ(AllNames(table, {}, "").size(), 18U);
  EXPECT_EQ(AllNames(table, {}, "").front(), "Claim//x");
  EXPECT_EQ(AllNames(table, {"Claim", "Pod"}, "a"),
            (std::vector<std::string>{"Claim/a/x", "Claim/a/y", "Pod/a/x", "Pod/a/y"}));
  EXPECT_EQ(AllNames(table, {}, "b"),
            (std::vector<std::string>{"Claim/b/x", "Claim/b/y", "Node/b/x", "Node/b/y", "Pod/b/x", "Pod/b/y"}));
  EXPECT_TRUE(AllNames(table, {"Aardvark", "Zebra"}, "").empty());
  EXPECT_TRUE(AllNames(table, {}, "c").empty());
}

TEST(ObjectTable, AWalkCanBeInterruptedAnywhere) {
  ObjectTable table;
  Fill(table);
  for (size_t steps = 1; steps < 20; ++steps) {
    ObjectTable::Walk walk;
    std::vector<std::string> all;
    bool finished = false;
    while (!finished) {
      for (std::string& name : Names(table, {"Node", "Pod"}, "", steps, walk, finished)) all.push_back(name);
    }
    EXPECT_EQ(all, AllNames(table, {"Node", "Pod"}, "")) << steps;
  }
}

TEST(ObjectTable, FindsManyAtOnceAmongManyThatComeAndGo) {
  // More than the initial index holds, removed in a different order than added.
  constexpr size_t kKeys = 5000;
  ObjectTable table;
  std::vector<Key> keys;
  for (size_t i = 0; i < kKeys; ++i) keys.push_back({"Pod", "a", std::to_string(i)});
  std::vector<const Key*> asked;
  for (const Key& key : keys) asked.push_back(&key);
  std::vector<ObjectTable::Entry*> found(kKeys);
  for (size_t round = 0; round < 3; ++round) {
    for (const Key& key : keys) table.FindOrAdd(key);
    for (size_t i = round; i < kKeys; i += 3) table.Erase(*table.Find(keys[i]));
    table.Find(asked, found);
    for (size_t i = 0; i < kKeys; ++i) {
      ASSERT_EQ(found[i], table.Find(keys[i]));
      ASSERT_EQ(found[i] == nullptr, i % 3 == round) << i;
      ASSERT_TRUE(found[i] == nullptr || found[i]->first == keys[i]);
    }
  }
}

}  // namespace
}  // namespace berth::store
