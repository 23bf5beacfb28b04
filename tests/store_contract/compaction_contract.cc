// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/meanwhile.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"
#include "support/dice.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace berth::store::contract {
namespace {

using test::Dice;
using Kind = WatchItem::Kind;

TEST_P(StoreContract, Rule21CompactionNeverPassesTheHeadAndNeverGoesBack) {
  std::vector<Revision> revisions = {Write(store(), {Create(Pod("a"), "0")})};
  for (int i = 1; i < 6; ++i) revisions.push_back(Write(store(), {Update(Pod("a"), std::to_string(i))}));
  ASSERT_TRUE(store().Compact(revisions[2]).has_value());
  EXPECT_EQ(store().CompactFloor(), revisions[2]);
  ASSERT_TRUE(store().Compact(revisions[2]).has_value()) << "repeating does nothing";
  ASSERT_TRUE(store().Compact(revisions[0]).has_value()) << "nor does going back";
  EXPECT_EQ(store().CompactFloor(), revisions[2]);
  const auto beyond = store().Compact(revisions[5] + 1);
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().code, ErrorCode::TooNew);
  EXPECT_EQ(store().CompactFloor(), revisions[2]);
  EXPECT_EQ(store().Compact(-1).error().code, ErrorCode::Invalid);
  EXPECT_EQ(store().GetStats().compact_floor, revisions[2]);
  ASSERT_TRUE(store().Compact(revisions[5]).has_value());
  EXPECT_EQ(*Get(store(), Pod("a"))->value, "5") << "the present is no history";
}

TEST_P(StoreContract, Rule21TheStateAtTheFloorIsListedAndOlderOnesAreExpired) {
  const Revision first = Write(store(), {Create(Pod("a"), "0"), Create(Pod("b"))});
  const Revision second = Write(store(), {Update(Pod("a"), "1"), Delete(Pod("b"))});
  const Revision third = Write(store(), {Update(Pod("a"), "2"), Create(Pod("b"))});
  ASSERT_TRUE(store().Compact(second).has_value());
  const auto old = store().List({.match = ListOptions::Match::Exact, .revision = first});
  ASSERT_FALSE(old.has_value());
  EXPECT_EQ(old.error().code, ErrorCode::Expired);
  const Page floor = ListAt(store(), second);
  ASSERT_EQ(floor.objects.size(), 1U);
  EXPECT_EQ(*floor.objects[0]->value, "1");
  EXPECT_EQ(ListAt(store(), third).objects.size(), 2U);
  EXPECT_EQ(List(store(), {.match = ListOptions::Match::NotOlderThan, .revision = first}).revision, third)
      << "an old revision is no hindrance to who wants nothing older";
}

TEST_P(StoreContract, Rule21CompactionRunsBesideReadsWritesAndWatches) {
  constexpr size_t kPods = 20;
  const size_t transactions = GetParam().some_transactions;
  std::atomic<bool> written{false};
  std::thread writer([&] {
    Dice dice(21);
    for (size_t i = 0; i < transactions; ++i) Commit(store(), {.operations = {RandomOperation(dice, kPods)}});
    written.store(true);
  });
  std::vector<std::thread> followers;
  for (int thread = 0; thread < 2; ++thread) {
    followers.emplace_back([&] {
      // List, watch until it ends or everything is written, list again: at every point the mirror is a true state.
      while (!written.load() && !HasFailure()) {
        const Page page = ListNow(store());
        Mirror mirror(page);
        Reader reader(store(), page.revision);
        WatchItem item = reader.Poll();
        for (int i = 0; i < 100 && item.kind != Kind::Expired; ++i, item = reader.Poll()) mirror.Apply(item);
        if (item.kind == Kind::Expired) continue;
        mirror.Apply(item);
        const auto listed = store().List({.match = ListOptions::Match::Exact, .revision = reader.position()});
        if (listed) {
          EXPECT_EQ(ToTexts(mirror.Objects()), ToTexts(listed->objects));
        } else if (reader.position() > 0) {
          EXPECT_EQ(listed.error().code, ErrorCode::Expired) << listed.error().message;
        }
      }
    });
  }
  std::thread pager([&] {
    while (!written.load() && !HasFailure()) {
      const Page first = List(store(), {.limit = 3});
      if (first.continue_token.empty()) continue;
      const auto second = store().List({.limit = 3, .continue_token = first.continue_token});
      if (second) {
        EXPECT_EQ(second->revision, first.revision);
      } else {
        EXPECT_EQ(second.error().code, ErrorCode::Expired);
      }
    }
  });
  Revision floor = store().CompactFloor();
  while (!written.load()) {
    const Revision head = Head(store());
    EXPECT_TRUE(store().Compact(head > 3 ? head - 3 : 0).has_value());
    EXPECT_GE(store().CompactFloor(), floor);
    floor = store().CompactFloor();
  }
  writer.join();
  for (std::thread& follower : followers) follower.join();
  pager.join();
}

TEST_P(StoreContract, Rule22AWatchOpenedAtTheCompactRevisionDoesNotMissADeletionThere) {
  const Revision created = Write(store(), {Create(Pod("a")), Create(Pod("b"))});
  Reader early(store(), created);
  const Revision deleted = Write(store(), {Delete(Pod("a"))});
  const Revision last = Write(store(), {Delete(Pod("b"))});
  EXPECT_EQ(early.Next().revision, deleted);
  ASSERT_TRUE(store().Compact(deleted).has_value());
  // Who knows of the deletion goes on, who does not is told that something is missing.
  const std::vector<WatchItem> after = Reader(store(), deleted).BatchesUntil(last);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].revision, last);
  EXPECT_EQ(Reader(store(), created).Next().kind, Kind::Expired);
  EXPECT_EQ(early.Next().revision, last);
  ASSERT_TRUE(store().Compact(last).has_value());
  EXPECT_EQ(Reader(store(), deleted).Next().kind, Kind::Expired);
  EXPECT_EQ(Reader(store(), last).Poll().kind, Kind::Timeout);
  EXPECT_EQ(early.Poll().kind, Kind::Timeout);
}

TEST_P(StoreContract, Rule23TheHistoryIsBoundedAndWhatItHoldsIsWhole) {
  if (!GetParam().bounded_history) GTEST_SKIP() << "the engine keeps history by a measure of its own";
  constexpr size_t kHistory = size_t{128} << 10U;
  constexpr size_t kValue = 1000;
  constexpr size_t kPods = 10;
  Start({.max_history_bytes = kHistory});
  for (size_t i = 0; i < kPods; ++i) Write(store(), {Create(Pod(Numbered("p", i)), std::string(kValue, 'x'))});
  // Ten times as much as fits.
  for (size_t written = 0; written < 10 * kHistory; written += kValue) {
    const std::string value(kValue, static_cast<char>('a' + written / kValue % 26));
    Write(store(), {Update(Pod(Numbered("p", written % kPods)), value)});
    const Stats stats = store().GetStats();
    ASSERT_LE(stats.history_bytes, kHistory);
    ASSERT_EQ(stats.objects, kPods);
  }
  const Stats stats = store().GetStats();
  EXPECT_EQ(stats.compact_floor, store().CompactFloor());
  EXPECT_EQ(stats.head, Head(store()));
  EXPECT_GT(stats.compact_floor, stats.head / 2) << "the oldest part is given up";
  EXPECT_GT(stats.history_bytes, kHistory / 2) << "the bound is made use of";
  Mirror mirror(ListAt(store(), stats.compact_floor));
  mirror.Apply(Reader(store(), stats.compact_floor).Until(stats.head));
  mirror.ExpectEquals(store());
}

}  // namespace
}  // namespace berth::store::contract
