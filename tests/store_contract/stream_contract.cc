// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/meanwhile.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"
#include "support/dice.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace berth::store::contract {
namespace {

using test::Dice;
using Kind = WatchItem::Kind;

TEST_P(StoreContract, Rule17BookmarksAdvanceWhileOnlyOtherKindsChange) {
  const Revision start = Write(store(), {Create(Pod("a"))});
  Reader reader(store(), start, Of("Pod"));
  for (int i = 0; i < 5; ++i) {
    const Revision revision = Write(store(), {Create(Node(Numbered("n", static_cast<size_t>(i))))});
    const std::vector<WatchItem> items = reader.Until(revision);
    ASSERT_FALSE(items.empty());
    EXPECT_EQ(items.back().kind, Kind::Bookmark);
    EXPECT_EQ(items.back().revision, revision);
  }
  EXPECT_EQ(reader.Poll().kind, Kind::Timeout) << "nothing has happened since";
}

TEST_P(StoreContract, Rule17NoBookmarkIsAheadOfAChangeNotTold) {
  // The reader fails on a batch that is not after the bookmark before it.
  std::atomic<uint64_t> writes{0};
  Reader reader(store(), Head(store()), Of("Pod"));
  Mirror mirror;
  size_t bookmarks = 0;
  {
    const Meanwhile writing([&] {
      Dice dice(++writes);
      const Operation pod = RandomOperation(dice, 5);
      Commit(store(), {.operations = {dice.Chance(0.1) ? pod : Create(Node(Numbered("n", writes)))}});
    });
    for (int i = 0; (i < 500 || bookmarks < 20 || mirror.events() < 20) && !HasFailure(); ++i) {
      const WatchItem item = reader.Poll();
      if (item.kind == Kind::Bookmark) ++bookmarks;
      mirror.Apply(item);
    }
  }
  mirror.Apply(reader.Until(Head(store())));
  mirror.ExpectEquals(store(), Of("Pod"));
}

TEST_P(StoreContract, Rule17NoBookmarksForWhoDoesNotWantThem) {
  Reader reader(store(), {.selection = Of("Pod"), .after = Head(store()), .bookmarks = false});
  const Revision revision = Write(store(), {Create(Node("n"))});
  ASSERT_TRUE(store().WaitFor(revision, kPatience).has_value());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(reader.watch().Next(std::chrono::milliseconds(1)).kind, Kind::Timeout);
  Write(store(), {Create(Pod("a"))});
  EXPECT_EQ(reader.Next().kind, Kind::Batch);
}

TEST_P(StoreContract, Rule18InitialEventsAreTheStateThenAMarkThenTheChanges) {
  Write(store(), {Create(Pod("a"), "old"), Create(Pod("b")), Create(Node("n"))});
  const Revision head = Write(store(), {Update(Pod("a"), "new"), Delete(Pod("b"))});
  Reader reader(store(), {.selection = Of("Pod"), .initial_events = true});
  const WatchItem state = reader.Next();
  ASSERT_EQ(state.events.size(), 1U);
  EXPECT_EQ(*state.events[0].object->value, "new");
  EXPECT_EQ(state.events[0].object->modified, head);
  const WatchItem mark = reader.Next();
  EXPECT_EQ(mark.kind, Kind::Bookmark);
  EXPECT_TRUE(mark.end_of_initial);
  EXPECT_EQ(mark.revision, head);
  const Revision next = Write(store(), {Delete(Pod("a"))});
  const WatchItem change = reader.Next();
  EXPECT_EQ(change.revision, next);
  EXPECT_EQ(change.events.at(0).type, Event::Type::Deleted);
}

TEST_P(StoreContract, Rule18AnEmptyStateIsOnlyTheMarkEvenWithoutOtherBookmarks) {
  Reader reader(store(), {.initial_events = true, .bookmarks = false});
  const WatchItem mark = reader.Next();
  EXPECT_EQ(mark.kind, Kind::Bookmark);
  EXPECT_TRUE(mark.end_of_initial);
}

TEST_P(StoreContract, Rule18WritesDuringTheInitialPhaseAppearOnce) {
  std::vector<Operation> pods;
  for (size_t i = 0; i < 100; ++i) pods.push_back(Create(Pod(Numbered("p", i))));
  Write(store(), pods);
  std::atomic<uint64_t> writes{0};
  {
    const Meanwhile writing([&] {
      Dice dice(++writes);
      Commit(store(), {.operations = {RandomOperation(dice, 150)}});
    });
    for (int i = 0; i < 20 && !HasFailure(); ++i) {
      Reader reader(store(), {.initial_events = true});
      Mirror mirror;
      while (reader.position() < 0) mirror.Apply(reader.Next());
      const Revision until = Head(store());
      mirror.Apply(reader.Until(until));
      EXPECT_EQ(ToTexts(mirror.Objects()), ToTexts(ListAt(store(), reader.position()).objects));
    }
  }
}

TEST_P(StoreContract, Rule19AStalledWatchDelaysNobodyAndMissesNothing) {
  constexpr size_t kThreads = 4;
  constexpr size_t kWatchesPerThread = 12;
  const size_t transactions = GetParam().some_transactions;
  const Revision start = Head(store());
  Reader stalled(store(), start);
  std::atomic<Revision> last{0};
  std::vector<std::thread> followers;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    followers.emplace_back([&] {
      std::vector<std::unique_ptr<Reader>> readers;
      std::vector<Mirror> mirrors(kWatchesPerThread);
      for (size_t i = 0; i < kWatchesPerThread; ++i) readers.push_back(std::make_unique<Reader>(store(), start));
      for (bool all = false; !all && !HasFailure();) {
        all = last.load() > 0;
        for (size_t i = 0; i < kWatchesPerThread; ++i) {
          mirrors[i].Apply(readers[i]->Poll());
          all = all && readers[i]->position() == last.load();
        }
      }
      for (const Mirror& mirror : mirrors) mirror.ExpectEquals(store());
    });
  }
  // Writers and followers come to their end although the stalled one has not read a word.
  Dice dice(19);
  for (size_t i = 0; i < transactions; ++i) Commit(store(), {.operations = {RandomOperation(dice, 50)}});
  last.store(Head(store()));
  for (std::thread& follower : followers) follower.join();
  Mirror mirror;
  mirror.Apply(stalled.Until(last.load()));
  mirror.ExpectEquals(store());
}

TEST_P(StoreContract, Rule19AStalledWatchWhoseHistoryIsGoneIsExpiredWithoutAHole) {
  if (!GetParam().bounded_history) GTEST_SKIP() << "the engine keeps history by a measure of its own";
  constexpr size_t kHistory = size_t{64} << 10U;
  Start({.max_history_bytes = kHistory});
  Reader stalled(store(), Head(store()));
  Revision last = 0;
  const Revision floor = store().CompactFloor();
  while (store().CompactFloor() == floor) {
    last = Write(store(), {last == 0 ? Create(Pod("a")) : Update(Pod("a"), std::string(1000, 'x'))});
    ASSERT_LE(store().GetStats().history_bytes, kHistory);
  }
  EXPECT_EQ(stalled.Next().kind, Kind::Expired);
  EXPECT_EQ(store().GetStats().expired_watchers, 1U);
}

TEST_P(StoreContract, Rule19AWatchOvertakenWhileItReadsGetsAPrefixThenExpired) {
  Reader reader(store(), Head(store()));
  const Revision first = Write(store(), {Create(Pod("a"))});
  const Revision second = Write(store(), {Update(Pod("a"))});
  Write(store(), {Update(Pod("a"))});
  EXPECT_EQ(reader.Next().revision, first);
  ASSERT_TRUE(store().Compact(second).has_value());
  const WatchItem item = reader.Next();
  EXPECT_EQ(item.kind, Kind::Expired) << "never the third without the second";
  EXPECT_EQ(item.revision, second);
}

TEST_P(StoreContract, Rule20WatchesComeAndGoUnderLoad) {
  constexpr size_t kThreads = 4;
  constexpr size_t kWatchesPerThread = 250;
  std::atomic<uint64_t> writes{0};
  {
    const Meanwhile writing([&] {
      Dice dice(++writes);
      Commit(store(), {.operations = {RandomOperation(dice, 20)}});
    });
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([this, thread] {
        Dice dice(thread);
        std::vector<std::unique_ptr<Watch>> open;
        for (size_t i = 0; i < kWatchesPerThread; ++i) {
          WatchOptions options{.after = Head(store()), .initial_events = dice.Chance(0.3)};
          if (dice.Chance(0.5)) options.selection = Of(dice.Pick({"Pod", "Node"}));
          open.push_back(Open(store(), options));
          const std::unique_ptr<Watch>& some = dice.OneOf(open);
          for (size_t words = dice.Below(4); words > 0; --words) some->Next(Duration::zero());
          if (dice.Chance(0.3)) some->Cancel();
          if (dice.Chance(0.5)) open.erase(open.begin() + static_cast<std::ptrdiff_t>(dice.Below(open.size())));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(store().GetStats().watchers, 0U);
}

TEST_P(StoreContract, Rule20CancelEndsAWaitFromAnotherThread) {
  for (int i = 0; i < 20; ++i) {
    const std::unique_ptr<Watch> watch = Open(store(), {.after = Head(store())});
    EXPECT_EQ(store().GetStats().watchers, 1U);
    std::thread canceller([&] { watch->Cancel(); });
    EXPECT_EQ(watch->Next(std::chrono::hours(1)).kind, Kind::Closed);
    canceller.join();
    EXPECT_EQ(watch->Next(std::chrono::hours(1)).kind, Kind::Closed);
  }
}

TEST_P(StoreContract, Rule20AWriteEndsAWaitFromAnotherThread) {
  const Revision start = Write(store(), {Create(Pod("a"))});
  const std::unique_ptr<Watch> watch = Open(store(), {.selection = Of("Pod"), .after = start});
  for (int i = 0; i < 20; ++i) {
    std::thread writer([&] {
      Write(store(), {Create(Node(Numbered("n", static_cast<size_t>(i))))});
      Write(store(), {Update(Pod("a"))});
    });
    // A watch may wait for ever: the longest patience is no overflow.
    EXPECT_EQ(watch->Next(Duration::max()).kind, Kind::Batch);
    writer.join();
  }
}

}  // namespace
}  // namespace berth::store::contract
