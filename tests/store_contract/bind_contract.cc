// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace berth::store::contract {
namespace {

using enum BindResult;

BindReply Bind(Store& store, const std::vector<Binding>& bindings) {
  auto reply = store.Bind(bindings, std::nullopt);
  EXPECT_TRUE(reply.has_value()) << reply.error().message;
  if (!reply) return {};
  EXPECT_EQ(reply->items.size(), bindings.size());
  return *reply;
}

Binding To(const std::string& node, const std::string& pod) {
  return {.pod = Pod(pod), .uid = "uid of " + pod, .node = node};
}

TEST_P(StoreContract, Rule32TwoSchedulersBindEachPodOnce) {
  const size_t pods = GetParam().many_pods;
  constexpr size_t kBatch = 500;
  for (size_t i = 0; i < pods; i += kBatch) {
    std::vector<Operation> operations;
    for (size_t j = i; j < std::min(pods, i + kBatch); ++j) operations.push_back(Create(Pod(Numbered("p", j))));
    Write(store(), operations);
  }
  const Revision start = Head(store());
  std::vector<std::vector<std::string>> won(2, std::vector<std::string>(pods));
  std::vector<size_t> lost(2, 0);
  std::vector<std::thread> schedulers;
  for (size_t me = 0; me < 2; ++me) {
    schedulers.emplace_back([&, me] {
      const std::string node = me == 0 ? "left" : "right";
      for (size_t i = 0; i < pods; i += kBatch) {
        // One goes up and one goes down, so that they meet.
        std::vector<Binding> bindings;
        std::vector<size_t> numbers;
        for (size_t j = i; j < std::min(pods, i + kBatch); ++j) {
          numbers.push_back(me == 0 ? j : pods - 1 - j);
          bindings.push_back(To(node, Numbered("p", numbers.back())));
          bindings.back().pod_revision = 0;
        }
        const BindReply reply = Bind(store(), bindings);
        for (size_t j = 0; j < reply.items.size(); ++j) {
          if (reply.items[j] == Bound) won[me][numbers[j]] = node;
          if (reply.items[j] == Conflict) ++lost[me];
        }
      }
    });
  }
  for (std::thread& scheduler : schedulers) scheduler.join();
  EXPECT_EQ(lost[0] + lost[1], pods);
  const Page page = ListNow(store());
  ASSERT_EQ(page.objects.size(), pods);
  for (size_t i = 0; i < pods; ++i) ASSERT_EQ(page.objects[i]->fields.node_name, won[0][i] + won[1][i]) << i;
  std::map<Key, size_t> told;
  for (const WatchItem& item : Reader(store(), start).BatchesUntil(Head(store()))) {
    for (const Event& event : item.events) ++told[event.object->key];
  }
  EXPECT_EQ(told.size(), pods);
  EXPECT_TRUE(std::ranges::all_of(told, [](const auto& pod) { return pod.second == 1; }));
}

TEST_P(StoreContract, Rule33BindingSetsTheNodeAndLeavesEverythingElse) {
  const Revision created = Write(store(), {Create(Pod("a"), "document", {"", "Pending", "berth"})});
  const BindReply reply = Bind(store(), {To("n", "a")});
  EXPECT_EQ(reply.items, std::vector{Bound});
  EXPECT_GT(reply.revision, created);
  const RecordPtr pod = Get(store(), Pod("a"));
  EXPECT_EQ(pod->fields, (Fields{"n", "Pending", "berth"}));
  EXPECT_EQ(*pod->value, "document");
  EXPECT_EQ(pod->uid, "uid of a");
  EXPECT_EQ(pod->created, created);
  EXPECT_EQ(pod->modified, reply.revision);
}

TEST_P(StoreContract, Rule33EveryBindingHasItsOwnResult) {
  Write(store(), {Create(Pod("deleted")), Create(Pod("replaced")), Create(Pod("changed")), Create(Pod("elsewhere")),
                  Create(Pod("there")), Create(Pod("fresh")), Create(Pod("whatever"))});
  const Revision seen = Head(store());
  Write(store(), {Delete(Pod("deleted")), Delete(Pod("replaced"))});
  Operation again = Create(Pod("replaced"));
  again.uid = "another uid";
  Write(store(), {again, Update(Pod("changed"), "new"), Update(Pod("whatever"), "new")});
  Bind(store(), {To("other", "elsewhere"), To("n", "there")});
  const Revision before = Head(store());

  std::vector<Binding> bindings;
  for (const char* pod : {"missing", "deleted", "replaced", "changed", "elsewhere", "there", "fresh", "whatever"}) {
    bindings.push_back(To("n", pod));
    bindings.back().pod_revision = std::string(pod) == "whatever" ? 0 : seen;
  }
  const BindReply reply = Bind(store(), bindings);
  EXPECT_EQ(reply.items, (std::vector{Gone, Gone, Gone, Conflict, Conflict, Bound, Bound, Bound}));
  EXPECT_EQ(reply.revision, Head(store()));
  const std::vector<WatchItem> batches = Reader(store(), before).BatchesUntil(reply.revision);
  ASSERT_EQ(batches.size(), 1U);
  ASSERT_EQ(batches[0].events.size(), 2U) << "one was bound already";
  EXPECT_EQ(batches[0].events[0].object->key, Pod("fresh"));
  EXPECT_EQ(batches[0].events[1].object->key, Pod("whatever"));
  EXPECT_EQ(Get(store(), Pod("elsewhere"))->fields.node_name, "other");
  EXPECT_EQ(Get(store(), Pod("changed"))->fields.node_name, "");
  EXPECT_EQ(Get(store(), Pod("replaced"))->fields.node_name, "");
}

TEST_P(StoreContract, Rule33WhereNothingIsBoundNothingHappens) {
  Write(store(), {Create(Pod("a"), "", {"elsewhere", "", ""})});
  const Revision head = Head(store());
  EXPECT_EQ(Bind(store(), {To("n", "a"), To("n", "missing")}).revision, 0);
  EXPECT_EQ(Bind(store(), {}).revision, 0);
  EXPECT_EQ(Head(store()), head);
}

TEST_P(StoreContract, Rule33APodNamedTwiceIsDecidedInOrder) {
  Write(store(), {Create(Pod("a")), Create(Pod("b"))});
  const BindReply reply = Bind(store(), {To("n", "a"), To("m", "a"), To("n", "a"), To("m", "b")});
  EXPECT_EQ(reply.items, (std::vector{Bound, Conflict, Bound, Bound}));
  EXPECT_EQ(Get(store(), Pod("a"))->fields.node_name, "n");
}

TEST_P(StoreContract, Rule33TheNodeGuardRefusesANodeThatHasChanged) {
  const Revision node = Write(store(), {Create(Node("n")), Create(Pod("a")), Create(Pod("b")), Create(Pod("c"))});
  const auto guarded = [&](const std::string& pod, const std::string& name) {
    Binding binding = To(name, pod);
    binding.node_revision = node;
    return binding;
  };
  EXPECT_EQ(Bind(store(), {guarded("a", "n"), guarded("b", "no such node")}).items, (std::vector{Bound, Conflict}));
  Write(store(), {Update(Node("n"))});
  EXPECT_EQ(Bind(store(), {guarded("b", "n"), To("n", "c")}).items, (std::vector{Conflict, Bound}));
}

TEST_P(StoreContract, Rule33BindingToNoNodeIsInvalid) {
  const Revision head = Write(store(), {Create(Pod("a")), Create(Pod("b"))});
  const std::vector<Binding> bindings = {To("n", "a"), To("", "b")};
  const auto reply = store().Bind(bindings, std::nullopt);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::Invalid);
  EXPECT_EQ(Head(store()), head);
}

}  // namespace
}  // namespace berth::store::contract
