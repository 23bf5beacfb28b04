// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace berth::store::contract {
namespace {

TEST_P(StoreContract, Rule01ObjectsAreCreatedReadUpdatedAndDeleted) {
  const Revision created = Write(store(), {Create(Pod("a"), "first", {"", "Pending", "berth"})});
  EXPECT_EQ(ToText(*Get(store(), Pod("a"))), ToText(Record{.key = Pod("a"),
                                                           .uid = "uid of a",
                                                           .created = created,
                                                           .modified = created,
                                                           .value = std::make_shared<std::string>("first"),
                                                           .fields = {"", "Pending", "berth"}}));
  const Revision updated = Write(store(), {Update(Pod("a"), "second", {"n", "Running", "berth"})});
  const RecordPtr now = Get(store(), Pod("a"));
  EXPECT_EQ(*now->value, "second");
  EXPECT_EQ(now->modified, updated);
  EXPECT_EQ(now->uid, "uid of a") << "an update leaves the uid";
  EXPECT_EQ(now->fields, (Fields{"n", "Running", "berth"}));
  Write(store(), {Delete(Pod("a"))});
  const auto gone = store().Get(Pod("a"));
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().code, ErrorCode::NotFound);
}

TEST_P(StoreContract, Rule01CreatingWhatExistsConflictsAndShowsWhatIsThere) {
  Write(store(), {Create(Pod("a"), "first")});
  const CommitOutcome outcome = Commit(store(), {.operations = {Create(Pod("a"), "second")}});
  EXPECT_FALSE(outcome.committed);
  EXPECT_EQ(outcome.index, 0U);
  ASSERT_NE(outcome.current, nullptr);
  EXPECT_EQ(*outcome.current->value, "first");
  EXPECT_EQ(*Get(store(), Pod("a"))->value, "first");
}

TEST_P(StoreContract, Rule01ChangingWhatIsAbsentConflictsAndShowsNothing) {
  for (const Operation& operation : {Update(Pod("a")), Delete(Pod("a"))}) {
    const CommitOutcome outcome = Commit(store(), {.operations = {operation}});
    EXPECT_FALSE(outcome.committed);
    EXPECT_EQ(outcome.current, nullptr);
  }
  EXPECT_TRUE(ListNow(store()).objects.empty());
}

TEST_P(StoreContract, Rule02RevisionsRiseFromOneTransactionToTheNext) {
  const Revision before = Head(store());
  EXPECT_GE(before, 0);
  Revision last = before;
  for (int i = 0; i < 20; ++i) {
    const Revision next = Write(store(), {Create(Pod(Numbered("a", static_cast<size_t>(i))))});
    EXPECT_GT(next, last);
    EXPECT_EQ(Head(store()), next);
    last = next;
  }
}

TEST_P(StoreContract, Rule02ObjectsOfOneTransactionShareItsRevision) {
  const Revision revision = Write(store(), {Create(Pod("a")), Create(Pod("b")), Create(Node("n"))});
  for (const RecordPtr& object : ListNow(store()).objects) EXPECT_EQ(object->modified, revision) << ToText(*object);
}

TEST_P(StoreContract, Rule02CreationStaysWhileModificationMovesAndARecreatedObjectIsNew) {
  const Revision created = Write(store(), {Create(Pod("a"))});
  for (int i = 0; i < 3; ++i) {
    const Revision updated = Write(store(), {Update(Pod("a"))});
    EXPECT_EQ(Get(store(), Pod("a"))->created, created);
    EXPECT_EQ(Get(store(), Pod("a"))->modified, updated);
  }
  Write(store(), {Delete(Pod("a"))});
  Operation again = Create(Pod("a"));
  again.uid = "another";
  const Revision recreated = Write(store(), {again});
  EXPECT_EQ(Get(store(), Pod("a"))->created, recreated);
  EXPECT_EQ(Get(store(), Pod("a"))->uid, "another");
}

TEST_P(StoreContract, Rule03AStaleRevisionConflictsAndShowsTheCurrentObject) {
  const Revision created = Write(store(), {Create(Pod("a"), "first")});
  const Transaction next{.preconditions = {{Pod("a"), Precondition::Test::ModifiedAt, created}},
                         .operations = {Update(Pod("a"), "second")}};
  const CommitOutcome first = Commit(store(), next);
  EXPECT_TRUE(first.committed);
  const CommitOutcome second = Commit(store(), next);
  EXPECT_FALSE(second.committed);
  EXPECT_EQ(second.index, 0U);
  ASSERT_NE(second.current, nullptr);
  EXPECT_EQ(second.current->modified, first.revision);
  EXPECT_EQ(*second.current->value, "second");
}

TEST_P(StoreContract, Rule03EveryPreconditionTellsWhatItIsAbout) {
  const Revision created = Write(store(), {Create(Pod("a"))});
  const Revision modified = Write(store(), {Update(Pod("a"))});
  using enum Precondition::Test;
  const struct {
    Precondition precondition;
    bool holds;
  } cases[] = {
      {{Pod("a"), Exists}, true},
      {{Pod("b"), Exists}, false},
      {{Pod("a"), Absent}, false},
      {{Pod("b"), Absent}, true},
      {{Pod("a"), ModifiedAt, modified}, true},
      {{Pod("a"), ModifiedAt, created}, false},
      {{Pod("b"), ModifiedAt, modified}, false},
      {{Pod("b"), ModifiedAt, 0}, false},
      {{Pod("a"), CreatedAt, created}, true},
      {{Pod("a"), CreatedAt, modified}, false},
      {{Pod("b"), CreatedAt, 0}, false},
      {{Pod("a"), UidIs, 0, "uid of a"}, true},
      {{Pod("a"), UidIs, 0, "uid of b"}, false},
      {{Pod("b"), UidIs, 0, ""}, false},
  };
  for (const auto& [precondition, holds] : cases) {
    SCOPED_TRACE(ToText(precondition.key) + " test " + std::to_string(static_cast<int>(precondition.test)));
    const CommitOutcome outcome = Commit(store(), {.preconditions = {precondition}});
    EXPECT_EQ(outcome.committed, holds);
    if (!holds) {
      EXPECT_EQ(outcome.current != nullptr, precondition.key == Pod("a"));
    }
  }
}

TEST_P(StoreContract, Rule03ManyThreadsLoseNoIncrement) {
  constexpr int kThreads = 16;
  constexpr int kIncrements = 25;
  Write(store(), {Create(Pod("counter"), "0")});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int done = 0; done < kIncrements && !HasFailure();) {
        const RecordPtr seen = Get(store(), Pod("counter"));
        const std::string next = std::to_string(std::stoi(*seen->value) + 1);
        const CommitOutcome outcome =
            Commit(store(), {.preconditions = {{Pod("counter"), Precondition::Test::ModifiedAt, seen->modified}},
                             .operations = {Update(Pod("counter"), next)}});
        if (outcome.committed) ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*Get(store(), Pod("counter"))->value, std::to_string(kThreads * kIncrements));
}

TEST_P(StoreContract, Rule04ACommitIsAllOrNothing) {
  const Revision start = Write(store(), {Create(Pod("a"), "old"), Create(Pod("b"), "old")});
  const std::vector<Operation> fine = {Update(Pod("a"), "new"), Delete(Pod("b")), Create(Pod("c"), "new")};
  std::vector<Operation> clash = fine;
  clash.push_back(Create(Pod("a/"), "new"));
  clash.push_back(Update(Pod("missing")));
  const Precondition holds{Pod("a"), Precondition::Test::Exists};
  const Precondition fails{Pod("b"), Precondition::Test::Absent};

  const struct {
    Transaction transaction;
    size_t index;
  } cases[] = {{{.preconditions = {holds, fails}, .operations = fine}, 1},
               {{.preconditions = {holds, holds}, .operations = clash}, 6}};
  Reader reader(store(), start);
  for (const auto& [transaction, index] : cases) {
    const CommitOutcome outcome = Commit(store(), transaction);
    EXPECT_FALSE(outcome.committed);
    EXPECT_EQ(outcome.index, index);
    EXPECT_EQ(outcome.revision, 0);
    EXPECT_EQ(Head(store()), start) << "a conflict uses no revision";
    EXPECT_EQ(ListNow(store()).objects.size(), 2U);
    EXPECT_EQ(*Get(store(), Pod("a"))->value, "old");
  }
  const Revision end = Write(store(), fine);
  const std::vector<WatchItem> batches = reader.BatchesUntil(end);
  ASSERT_EQ(batches.size(), 1U) << "a conflict is no event";
  EXPECT_EQ(batches[0].events.size(), 3U);
}

TEST_P(StoreContract, Rule04AnObjectWrittenTwiceIsInvalid) {
  const auto outcome = store().Commit({.operations = {Create(Pod("a")), Create(Pod("b")), Delete(Pod("a"))}});
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::Invalid);
  EXPECT_TRUE(ListNow(store()).objects.empty());
}

TEST_P(StoreContract, Rule04ATransactionWithoutOperationsOnlyTests) {
  const Revision head = Write(store(), {Create(Pod("a"))});
  const CommitOutcome outcome = Commit(store(), {.preconditions = {{Pod("a"), Precondition::Test::Exists}}});
  EXPECT_TRUE(outcome.committed);
  EXPECT_EQ(outcome.revision, head);
  EXPECT_EQ(Head(store()), head);
}

TEST_P(StoreContract, Rule05ValuesMayHoldAnyBytes) {
  using std::string_literals::operator""s;
  const std::string values[] = {"",
                                "\0"s,
                                "a\0b\0"s,
                                std::string(size_t{1} << 20U, '\xab'),
                                "\xff\xfe\x80 no UTF-8",
                                "'; DROP TABLE objects; --",
                                "\r\n\t\\\"%_"};
  std::vector<Operation> operations;
  for (size_t i = 0; i < std::size(values); ++i) operations.push_back(Create(Pod(Numbered("v", i)), values[i]));
  const Revision created = Write(store(), operations);
  const Page page = ListNow(store());
  ASSERT_EQ(page.objects.size(), std::size(values));
  Reader reader(store(), created - 1);
  const std::vector<WatchItem> batches = reader.BatchesUntil(created);
  ASSERT_EQ(batches.size(), 1U);
  for (size_t i = 0; i < std::size(values); ++i) {
    EXPECT_TRUE(*page.objects[i]->value == values[i]) << "listed value " << i;
    EXPECT_TRUE(*Get(store(), Pod(Numbered("v", i)))->value == values[i]) << "got value " << i;
    EXPECT_TRUE(*batches[0].events[i].object->value == values[i]) << "told value " << i;
  }
}

TEST_P(StoreContract, Rule05KeysAreSortedBytewise) {
  const std::vector<Key> sorted = {
      {"Node", "", "a"},         {"Node", "", "b"},     {"Pod", "", "z"},          {"Pod", "a", "A"},
      {"Pod", "a", "a"},         {"Pod", "a", "a "},    {"Pod", "a", "a-b"},       {"Pod", "a", "a.b"},
      {"Pod", "a", "a0"},        {"Pod", "a", "ab"},    {"Pod", "a", "a\x7f"},     {"Pod", "a", "a\x80"},
      {"Pod", "a", "a\xc3\xa4"}, {"Pod", "a", "a\xff"}, {"Pod", "a", "a\xff\xff"}, {"Pod", "a", "b"},
      {"Pod", "a-b", "a"},       {"Pod", "a\xff", "a"}, {"Pod", "b", "a"},         {"PodGroup", "a", "a"},
      {"pod", "a", "a"},
  };
  ASSERT_TRUE(std::ranges::is_sorted(sorted));
  std::vector<Operation> operations;
  for (const Key& key : sorted) operations.push_back(Create(key));
  std::rotate(operations.begin(), operations.begin() + 7, operations.end());
  Write(store(), operations);
  const auto keys_of = [](const Page& page) {
    std::vector<Key> keys;
    for (const RecordPtr& object : page.objects) keys.push_back(object->key);
    return keys;
  };
  EXPECT_EQ(keys_of(ListNow(store())), sorted);
  for (const size_t limit : {1U, 2U, 5U}) EXPECT_EQ(keys_of(ListInPages(store(), {}, limit)), sorted);
  EXPECT_EQ(keys_of(ListNow(store(), {.kinds = {"Pod"}, .namespace_ = "a"})),
            std::vector<Key>(sorted.begin() + 3, sorted.begin() + 16));
  for (const Key& key : sorted) EXPECT_EQ(Get(store(), key)->key, key);
}

TEST_P(StoreContract, Rule06WhatIsTooLargeIsRefusedWhole) {
  const Limits limits{.max_value_bytes = 1000, .max_operations = 10};
  Start(limits);
  std::vector<Operation> too_many;
  std::vector<Binding> bindings;
  for (size_t i = 0; i <= limits.max_operations; ++i) {
    too_many.push_back(Create(Pod(Numbered("p", i))));
    bindings.push_back({.pod = Pod(Numbered("p", i)), .uid = "u", .node = "n"});
  }
  const std::vector<std::vector<Operation>> refused = {
      too_many,
      {Create(Pod("fine")), Create(Pod("large"), std::string(limits.max_value_bytes + 1, 'x'))},
      {Create(Pod("fine")), Create({"", "default", "a"})},
      {Create(Pod("fine")), Create({"Pod", "default", ""})},
  };
  for (const std::vector<Operation>& operations : refused) {
    const auto outcome = store().Commit({.operations = operations});
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().code, ErrorCode::Invalid);
    EXPECT_FALSE(outcome.error().message.empty());
  }
  const auto reply = store().Bind(bindings, std::nullopt);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::Invalid);
  EXPECT_TRUE(ListNow(store()).objects.empty());
  // And what is just not too large is taken.
  too_many.pop_back();
  too_many.back().value = std::string(limits.max_value_bytes, 'x');
  Write(store(), too_many);
  EXPECT_EQ(ListNow(store()).objects.size(), limits.max_operations);
}

}  // namespace
}  // namespace berth::store::contract
