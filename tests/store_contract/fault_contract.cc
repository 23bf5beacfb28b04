// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"
#include "support/dice.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace berth::store::contract {
namespace {

using test::Dice;
using Kind = WatchItem::Kind;

TEST_P(DurableStoreContract, Rule24AcknowledgedWritesSurviveAndRevisionsDoNotRepeat) {
  Dice dice(24);
  std::vector<std::string> before;
  Revision last = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 50; ++i) Commit(store(), {.operations = {RandomOperation(dice, 10)}});
    last = Head(store());
    before = ToTexts(ListNow(store()).objects);
    ASSERT_TRUE(harness().Reopen());
    EXPECT_EQ(ToTexts(ListNow(store()).objects), before);
    EXPECT_GE(Head(store()), last);
    EXPECT_GT(Write(store(), {Create(Node(Numbered("n", static_cast<size_t>(round))))}), last);
  }
}

TEST_P(DurableStoreContract, Rule24AWatchResumedAfterAnEndTellsTheRestOrIsExpired) {
  const Page page = ListNow(store());
  Mirror mirror(page);
  Write(store(), {Create(Pod("a"))});
  const Revision head = Write(store(), {Create(Pod("b"))});
  ASSERT_TRUE(harness().Reopen());
  const Revision last = std::max(head, Write(store(), {Delete(Pod("a"))}));
  Reader reader(store(), page.revision);
  const std::vector<WatchItem> items = reader.Until(last);
  if (items.back().kind == Kind::Expired) return;
  mirror.Apply(items);
  mirror.ExpectEquals(store());
}

TEST_P(StoreContract, Rule25ABindingRepeatedBecauseItsAnswerWasLostIsDoneOnce) {
  Write(store(), {Create(Pod("a")), Create(Pod("b"))});
  const Revision seen = Head(store());
  const std::vector<Binding> bindings = {
      {.pod = Pod("a"), .uid = "uid of a", .node = "n", .pod_revision = seen},
      {.pod = Pod("b"), .uid = "uid of b", .node = "n", .pod_revision = seen},
  };
  const auto first = store().Bind(bindings, std::nullopt);
  ASSERT_TRUE(first.has_value());
  const auto again = store().Bind(bindings, std::nullopt);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->items, (std::vector{BindResult::Bound, BindResult::Bound}));
  EXPECT_EQ(again->revision, 0) << "nothing was to be written";
  EXPECT_EQ(Head(store()), first->revision);
  EXPECT_EQ(Reader(store(), seen).BatchesUntil(first->revision).size(), 1U);
}

TEST_P(StoreContract, Rule26AStreamCutAfterEveryWordHasNoGapAndNoDuplicate) {
  const size_t transactions = GetParam().some_transactions;
  const Page page = ListNow(store());
  Mirror mirror(page);
  std::atomic<Revision> last{0};
  std::thread writer([&] {
    Dice dice(26);
    for (size_t i = 0; i < transactions; ++i) {
      std::vector<Operation> operations = {RandomOperation(dice, 20)};
      if (dice.Chance(0.2)) operations.push_back(Create(Node(Numbered("n", i))));
      Commit(store(), {.operations = operations});
    }
    last.store(Head(store()));
  });
  // The mirror and the reader together refuse what comes twice, too late, or after something left out.
  Revision position = page.revision;
  while ((last.load() == 0 || position < last.load()) && !HasFailure()) {
    Reader reader(store(), position);
    const WatchItem item = reader.Poll();
    EXPECT_NE(item.kind, Kind::Expired);
    mirror.Apply(item);
    position = reader.position();
  }
  writer.join();
  mirror.ExpectEquals(store());
}

TEST_P(StoreContract, Rule26AWatchEndsWhenItsStoreDoes) {
  std::unique_ptr<Harness> other = GetParam().make({});
  const std::unique_ptr<Watch> idle = Open(other->store(), {.after = Head(other->store())});
  const std::unique_ptr<Watch> late = Open(other->store(), {.initial_events = true});
  other.reset();
  EXPECT_EQ(idle->Next(Duration::zero()).kind, Kind::Closed);
  idle->Cancel();
  EXPECT_EQ(idle->Next(Duration::zero()).kind, Kind::Closed);
  EXPECT_EQ(late->Next(Duration::zero()).kind, Kind::Closed);
}

}  // namespace
}  // namespace berth::store::contract
