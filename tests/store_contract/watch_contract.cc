// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"
#include "support/dice.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace berth::store::contract {
namespace {

using test::Dice;
using Kind = WatchItem::Kind;

// Random changes, from `threads` threads; each makes `count` attempts.
std::vector<std::thread> StartWriters(Store& store, size_t threads, size_t count, size_t pods) {
  std::vector<std::thread> writers;
  for (size_t thread = 0; thread < threads; ++thread) {
    writers.emplace_back([&store, thread, count, pods] {
      Dice dice(thread);
      for (size_t i = 0; i < count; ++i) Commit(store, {.operations = {RandomOperation(dice, pods)}});
    });
  }
  return writers;
}

void Join(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) thread.join();
  threads.clear();
}

TEST_P(StoreContract, Rule11ListThenWatchUnderEightWritersLeadsToTheFinalState) {
  constexpr size_t kPods = 40;
  std::vector<std::thread> writers = StartWriters(store(), 8, GetParam().some_transactions, kPods);
  std::vector<std::thread> readers;
  std::atomic<Revision> last{0};
  std::atomic<size_t> lists{0};
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([this, &last, &lists] {
      const Page page = ListNow(store());
      Mirror mirror(page);
      Reader reader(store(), page.revision);
      ++lists;
      while (last.load() == 0 || reader.position() < last.load()) {
        const WatchItem item = reader.Poll();
        ASSERT_TRUE(item.kind == Kind::Batch || item.kind == Kind::Bookmark || item.kind == Kind::Timeout);
        mirror.Apply(item);
      }
      mirror.ExpectEquals(store());
    });
  }
  Join(writers);
  last.store(Head(store()));
  Join(readers);
}

TEST_P(StoreContract, Rule12EveryTransactionIsToldOnceAndInOrder) {
  constexpr size_t kThreads = 4;
  const size_t count = GetParam().many_transactions / kThreads;
  std::vector<Operation> pods;
  for (size_t i = 0; i < kThreads; ++i) pods.push_back(Create(Pod(Numbered("p", i)), "0"));
  const Revision start = Write(store(), pods);
  std::atomic<size_t> committed{0};
  std::vector<std::thread> writers;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    writers.emplace_back([&, thread] {
      const Key key = Pod(Numbered("p", thread));
      for (size_t i = 1; i <= count; ++i) {
        Write(store(), {Update(key, std::to_string(i))});
        ++committed;
      }
    });
  }
  // Each pod counts from 1 to `count` without a step left out, and no batch is ever late: the reader checks that.
  Reader reader(store(), start);
  std::vector<size_t> counts(kThreads, 0);
  for (size_t told = 0; told < kThreads * count && !HasFailure();) {
    const WatchItem item = reader.Next();
    for (const Event& event : item.events) {
      ++told;
      for (size_t i = 0; i < kThreads; ++i) {
        if (event.object->key != pods[i].key) continue;
        ASSERT_EQ(*event.object->value, std::to_string(++counts[i]));
        ASSERT_EQ(*event.previous->value, std::to_string(counts[i] - 1));
      }
    }
  }
  Join(writers);
  EXPECT_EQ(committed.load(), kThreads * count);
  EXPECT_TRUE(reader.BatchesUntil(Head(store())).empty());
}

TEST_P(StoreContract, Rule13ATransactionIsOneBatchAndResumedAtItsStart) {
  constexpr size_t kObjects = 100;
  const Revision before = Write(store(), {Create(Node("n"))});
  std::vector<Operation> operations;
  for (size_t i = 0; i < kObjects; ++i) {
    operations.push_back(Create(i % 2 == 0 ? Pod(Numbered("p", i)) : Node(Numbered("n", i))));
  }
  Reader live(store(), before);
  const Revision revision = Write(store(), operations);
  Write(store(), {Create(Pod("last"))});
  // However often it is read, from before: the whole of it, then what follows.
  for (int i = 0; i < 3; ++i) {
    Reader again(store(), before);
    const WatchItem item = again.Next();
    EXPECT_EQ(item.revision, revision);
    EXPECT_EQ(item.events.size(), kObjects);
  }
  EXPECT_EQ(live.Next().events.size(), kObjects);
  Reader pods(store(), before, Of("Pod"));
  EXPECT_EQ(pods.Next().events.size(), kObjects / 2);
  EXPECT_EQ(pods.Next().events.size(), 1U);
}

TEST_P(StoreContract, Rule14AWatchResumedAfterAnyRevisionTellsExactlyTheRest) {
  Dice dice(14);
  const Revision start = Head(store());
  for (int i = 0; i < 150; ++i) {
    std::vector<Operation> operations = {RandomOperation(dice, 8)};
    if (dice.Chance(0.3)) operations.push_back(Create(Node(Numbered("n", static_cast<size_t>(i)))));
    Commit(store(), {.operations = operations});
  }
  const Revision head = Head(store());
  const std::vector<Selection> selections = {
      {}, Of("Pod"), {.fields = {{Selection::Field::NodeName, ""}, {Selection::Field::Phase, "Pending"}}}};
  for (const Selection& selection : selections) {
    const std::vector<WatchItem> all = Reader(store(), start, selection).BatchesUntil(head);
    for (Revision after = start; after <= head; ++after) {
      std::vector<WatchItem> rest;
      std::ranges::copy_if(all, std::back_inserter(rest), [&](const WatchItem& item) { return item.revision > after; });
      ASSERT_EQ(ToTexts(Reader(store(), after, selection).BatchesUntil(head)), ToTexts(rest)) << "after " << after;
    }
  }
}

TEST_P(StoreContract, Rule15AWatchFromTheHeadTellsWhatComes) {
  const Revision head = Write(store(), {Create(Pod("a"))});
  Reader reader(store(), head);
  EXPECT_EQ(reader.Poll().kind, Kind::Timeout);
  const Revision next = Write(store(), {Create(Pod("b"))});
  EXPECT_EQ(reader.Next().revision, next);
}

TEST_P(StoreContract, Rule15AWatchFromAheadWaitsForItsRevision) {
  const Revision head = Write(store(), {Create(Pod("a"))});
  Reader reader(store(), head + 1);
  EXPECT_EQ(reader.Poll().kind, Kind::Timeout);
  while (Head(store()) < head + 1) Write(store(), {Update(Pod("a"), "not told")});
  const Revision next = Write(store(), {Update(Pod("a"), "told")});
  const std::vector<WatchItem> batches = reader.BatchesUntil(next);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(*batches[0].events[0].object->value, "told");
}

TEST_P(StoreContract, Rule15AWatchFromFarAheadIsTooNewAndFromBelowZeroInvalid) {
  const Revision head = Write(store(), {Create(Pod("a"))});
  for (const Revision after : {head + kFarAhead + 1, std::numeric_limits<Revision>::max()}) {
    const auto watch = store().OpenWatch({.after = after});
    ASSERT_FALSE(watch.has_value());
    EXPECT_EQ(watch.error().code, ErrorCode::TooNew);
  }
  const auto watch = store().OpenWatch({.after = -1});
  ASSERT_FALSE(watch.has_value());
  EXPECT_EQ(watch.error().code, ErrorCode::Invalid);
}

TEST_P(StoreContract, Rule15AWatchFromCompactedHistoryIsExpiredAndNamesTheFloor) {
  for (int i = 0; i < 5; ++i) Write(store(), {Create(Pod(Numbered("p", static_cast<size_t>(i))))});
  const Revision floor = Head(store()) - 1;
  ASSERT_TRUE(store().Compact(floor).has_value());
  for (const Revision after : {floor - 2, floor - 1}) {
    Reader reader(store(), after);
    const WatchItem item = reader.Next();
    EXPECT_EQ(item.kind, Kind::Expired);
    EXPECT_EQ(item.revision, floor);
  }
  EXPECT_EQ(Reader(store(), floor).Next().kind, Kind::Batch);
}

TEST_P(StoreContract, Rule16AChangeIsToldAsTheSelectionSeesIt) {
  const Fields in{"", "Pending", ""};
  const Fields out{"n", "Pending", ""};
  // What is written, and what one is told who asked for pods without a node. An event shows the value of the object,
  // and after the slash that of the state before.
  const struct {
    Operation operation;
    std::string told;
  } steps[] = {
      {Create(Pod("a"), "1", in), "Added 1/"},     {Update(Pod("a"), "2", in), "Modified 2/1"},
      {Update(Pod("a"), "3", out), "Deleted 2/2"}, {Update(Pod("a"), "4", out), "nothing"},
      {Update(Pod("a"), "5", in), "Added 5/"},     {Delete(Pod("a")), "Deleted 5/5"},
      {Create(Pod("a"), "6", out), "nothing"},     {Delete(Pod("a")), "nothing"},
      {Create(Node("a"), "7", in), "nothing"},     {Create(Pod("b"), "8", in), "Added 8/"},
  };
  Reader reader(store(), Head(store()), {.kinds = {"Pod"}, .fields = {{Selection::Field::NodeName, ""}}});
  for (const auto& [operation, told] : steps) {
    SCOPED_TRACE(told);
    const Revision revision = Write(store(), {operation});
    const std::vector<WatchItem> batches = reader.BatchesUntil(revision);
    ASSERT_EQ(batches.size(), told == "nothing" ? 0U : 1U);
    if (batches.empty()) continue;
    ASSERT_EQ(batches[0].events.size(), 1U);
    const Event& event = batches[0].events[0];
    constexpr const char* kTypes[] = {"Added ", "Modified ", "Deleted "};
    EXPECT_EQ(kTypes[static_cast<size_t>(event.type)] + *event.object->value + "/" +
                  (event.previous == nullptr ? "" : *event.previous->value),
              told);
    EXPECT_EQ(event.object->modified, revision) << "also the last state of what is deleted or has left";
    EXPECT_EQ(event.object->fields, in) << "a state outside is never shown";
    if (event.previous != nullptr) {
      EXPECT_LT(event.previous->modified, revision);
    }
  }
}

TEST_P(StoreContract, Rule16BindingMovesAPodFromOneSelectionToAnother) {
  const Revision created = Write(store(), {Create(Pod("a"), "document")});
  Reader unbound(store(), created, {.fields = {{Selection::Field::NodeName, ""}}});
  Reader bound(store(), created, {.fields = {{Selection::Field::NodeName, "n"}}});
  const std::vector<Binding> bindings = {{.pod = Pod("a"), .uid = "uid of a", .node = "n"}};
  ASSERT_TRUE(store().Bind(bindings, std::nullopt).has_value());
  const WatchItem left = unbound.Next();
  EXPECT_EQ(left.events.at(0).type, Event::Type::Deleted);
  EXPECT_EQ(left.events.at(0).object->fields.node_name, "");
  const WatchItem entered = bound.Next();
  EXPECT_EQ(entered.events.at(0).type, Event::Type::Added);
  EXPECT_EQ(entered.events.at(0).object->fields.node_name, "n");
  EXPECT_EQ(*entered.events.at(0).object->value, "document");
}

}  // namespace
}  // namespace berth::store::contract
