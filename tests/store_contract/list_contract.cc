// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/meanwhile.h"
#include "store_contract/words.h"
#include "support/dice.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace berth::store::contract {
namespace {

using Match = ListOptions::Match;
using test::Dice;

Selection RandomSelection(Dice& dice) {
  Selection selection;
  if (dice.Chance(0.5)) selection.kinds.push_back(dice.Pick({"Pod", "Node", "Claim", "Nothing"}));
  if (dice.Chance(0.2)) selection.kinds.push_back(dice.Pick({"Pod", "Node"}));
  if (dice.Chance(0.4)) selection.namespace_ = dice.Pick({"a", "b", "none"});
  using Field = Selection::Field;
  if (dice.Chance(0.4)) selection.fields.push_back({Field::NodeName, dice.Pick({"", "n1"}), dice.Chance(0.6)});
  if (dice.Chance(0.4)) selection.fields.push_back({Field::Phase, dice.Pick({"Pending", ""}), dice.Chance(0.6)});
  if (dice.Chance(0.3)) selection.fields.push_back({Field::SchedulerName, "berth", dice.Chance(0.6)});
  return selection;
}

TEST_P(StoreContract, Rule07AListIsASnapshot) {
  Write(store(), {Create(Pod("a"), "token"), Create(Pod("b"), "")});
  const auto tokens = [](const Page& page) {
    return std::ranges::count_if(page.objects, [](const RecordPtr& object) { return *object->value == "token"; });
  };
  std::atomic<int> moves{0};
  const Meanwhile moving([&, at_a = true]() mutable {
    at_a = !at_a;
    Write(store(), {Update(Pod("a"), at_a ? "token" : ""), Update(Pod("b"), at_a ? "" : "token")});
    ++moves;
  });
  for (int i = 0; (i < 200 || moves < 200) && !HasFailure(); ++i) {
    EXPECT_EQ(tokens(ListNow(store())), 1);
    EXPECT_EQ(tokens(ListInPages(store(), {}, 1)), 1);
    EXPECT_EQ(tokens(List(store(), {.match = Match::Any})), 1);
  }
}

TEST_P(StoreContract, Rule08PagesStayAtOneRevisionWhileWritersRun) {
  constexpr size_t kNames = 300;
  std::vector<Operation> operations;
  for (size_t i = 0; i < kNames; i += 2) operations.push_back(Create(Pod(Numbered("p", i)), "0"));
  Write(store(), operations);
  std::atomic<uint64_t> writes{0};
  const Meanwhile writing([&] {
    Dice dice(++writes);
    Commit(store(), {.operations = {RandomOperation(dice, kNames)}});
  });
  const Selection pending{.fields = {{Selection::Field::Phase, "Pending"}}};
  for (uint64_t i = 0; (i < 10 || writes < 500) && !HasFailure(); ++i) {
    const Selection selection = i % 2 == 0 ? Selection{} : pending;
    const Page paged = ListInPages(store(), selection, 7 + i % 40);
    EXPECT_EQ(ToTexts(paged.objects), ToTexts(ListAt(store(), paged.revision, selection).objects));
  }
}

TEST_P(StoreContract, Rule08ATokenWhoseRevisionIsCompactedIsExpired) {
  Write(store(), {Create(Pod("a")), Create(Pod("b")), Create(Pod("c"))});
  const Page first = List(store(), {.limit = 1});
  ASSERT_FALSE(first.continue_token.empty());
  const Revision head = Write(store(), {Delete(Pod("b"))});
  const Page second = List(store(), {.limit = 1, .continue_token = first.continue_token});
  ASSERT_EQ(second.objects.size(), 1U);
  EXPECT_EQ(second.objects[0]->key, Pod("b")) << "it was there at the token's revision";
  ASSERT_TRUE(store().Compact(head).has_value());
  const auto third = store().List({.limit = 1, .continue_token = second.continue_token});
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code, ErrorCode::Expired);
}

TEST_P(StoreContract, Rule08ATokenOfAnotherMakeIsInvalid) {
  Write(store(), {Create(Pod("a")), Create(Pod("b"))});
  const std::string token = List(store(), {.limit = 1}).continue_token;
  for (const std::string& wrong : {std::string("nonsense"), std::string(":"), "x" + token, token.substr(0, 1)}) {
    const auto page = store().List({.continue_token = wrong});
    ASSERT_FALSE(page.has_value()) << wrong;
    EXPECT_EQ(page.error().code, ErrorCode::Invalid) << wrong;
  }
}

TEST_P(StoreContract, Rule09LatestSeesEveryAcknowledgedWrite) {
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([this, thread] {
      for (size_t i = 0; i < 20 && !HasFailure(); ++i) {
        const Key key{"Pod", Numbered("space", thread), Numbered("p", i)};
        const Revision revision = Write(store(), {Create(key)});
        const Page page = ListNow(store(), {.kinds = {"Pod"}, .namespace_ = key.namespace_});
        EXPECT_EQ(page.objects.size(), i + 1);
        EXPECT_GE(page.revision, revision);
        EXPECT_GE(Head(store()), revision);
        EXPECT_EQ(Get(store(), key)->modified, revision);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(StoreContract, Rule09NotOlderThanWaitsForItsRevision) {
  const Revision start = Write(store(), {Create(Pod("a"))});
  std::atomic<bool> listing{false};
  std::thread writer([&] {
    while (!listing.load()) std::this_thread::yield();
    Write(store(), {Create(Pod("b"))});
  });
  listing.store(true);
  const Page page = List(store(), {.match = Match::NotOlderThan, .revision = start + 1, .patience = kPatience});
  EXPECT_GE(page.revision, start + 1);
  EXPECT_EQ(page.objects.size(), 2U);
  writer.join();
  EXPECT_EQ(List(store(), {.match = Match::NotOlderThan, .revision = 0}).objects.size(), 2U);
}

TEST_P(StoreContract, Rule09WaitForWaitsAndAWriteThatWasAcknowledgedIsThere) {
  const Revision start = Write(store(), {Create(Pod("a"))});
  EXPECT_TRUE(store().WaitFor(start, Duration::zero()).has_value());
  EXPECT_TRUE(store().WaitFor(0, Duration::zero()).has_value());
  std::atomic<bool> waiting{false};
  std::thread writer([&] {
    while (!waiting.load()) std::this_thread::yield();
    Write(store(), {Create(Pod("b"))});
  });
  waiting.store(true);
  EXPECT_TRUE(store().WaitFor(start + 1, kPatience).has_value());
  writer.join();
}

TEST_P(StoreContract, Rule09ARevisionThatDoesNotComeIsTooNew) {
  const Revision head = Write(store(), {Create(Pod("a"))});
  for (const Duration patience : {Duration::zero(), Duration(std::chrono::milliseconds(1))}) {
    const auto not_older = store().List({.match = Match::NotOlderThan, .revision = head + 1, .patience = patience});
    ASSERT_FALSE(not_older.has_value());
    EXPECT_EQ(not_older.error().code, ErrorCode::TooNew);
    const auto wait = store().WaitFor(head + 1, patience);
    ASSERT_FALSE(wait.has_value());
    EXPECT_EQ(wait.error().code, ErrorCode::TooNew);
  }
  const auto exact = store().List({.match = Match::Exact, .revision = head + 1});
  ASSERT_FALSE(exact.has_value());
  EXPECT_EQ(exact.error().code, ErrorCode::TooNew);
}

TEST_P(StoreContract, Rule09ARevisionBelowZeroIsInvalid) {
  const Result<Page> pages[] = {store().List({.match = Match::NotOlderThan, .revision = -1}),
                                store().List({.match = Match::Exact, .revision = -1}),
                                store().List({.match = Match::Exact, .revision = 0})};
  for (const auto& page : pages) {
    ASSERT_FALSE(page.has_value());
    EXPECT_EQ(page.error().code, ErrorCode::Invalid);
  }
  EXPECT_EQ(store().WaitFor(-1, Duration::zero()).error().code, ErrorCode::Invalid);
}

TEST_P(StoreContract, Rule09ExactShowsEveryPastState) {
  Dice dice(9);
  std::vector<std::pair<Revision, std::vector<std::string>>> past;
  for (int i = 0; i < 200; ++i) {
    Commit(store(), {.operations = {RandomOperation(dice, 12)}});
    const Page page = ListNow(store());
    if (page.revision > 0) past.emplace_back(page.revision, ToTexts(page.objects));
  }
  ASSERT_GT(past.size(), 100U);
  for (const auto& [revision, objects] : past) {
    const Page page = ListAt(store(), revision);
    EXPECT_EQ(page.revision, revision);
    EXPECT_EQ(ToTexts(page.objects), objects);
  }
}

TEST_P(StoreContract, Rule09AnyDoesNotWait) {
  const Page page = List(store(), {.match = Match::Any, .revision = 1'000'000, .patience = kPatience});
  EXPECT_TRUE(page.objects.empty());
}

TEST_P(StoreContract, Rule10SelectionsGiveWhatFilteringAFullListGives) {
  Dice dice(10);
  std::vector<Operation> operations;
  for (size_t i = 0; i < 200; ++i) {
    const Key key{dice.Pick({"Pod", "Node", "Claim"}), dice.Pick({"", "a", "b"}), Numbered("o", i)};
    operations.push_back(Create(
        key, "", {dice.Pick({"", "n1", "n2"}), dice.Pick({"", "Pending", "Running"}), dice.Pick({"berth", "other"})}));
  }
  Write(store(), operations);
  const Page all = ListNow(store());
  for (int i = 0; i < 200; ++i) {
    const Selection selection = RandomSelection(dice);
    std::vector<RecordPtr> filtered;
    std::ranges::copy_if(all.objects, std::back_inserter(filtered),
                         [&](const RecordPtr& object) { return selection.Matches(*object); });
    EXPECT_EQ(ToTexts(ListNow(store(), selection).objects), ToTexts(filtered));
    EXPECT_EQ(ToTexts(ListInPages(store(), selection, 3).objects), ToTexts(filtered));
  }
}

}  // namespace
}  // namespace berth::store::contract
