// SPDX-License-Identifier: Apache-2.0
#include "store_contract/contract.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace berth::store::contract {
namespace {

// Long enough that an engine with a clock of its own does not let it run out by accident.
constexpr Duration kTtl = std::chrono::seconds(2);

Lease Acquire(Store& store, const std::string& holder) {
  auto lease = store.AcquireLease("leader", holder, kTtl);
  EXPECT_TRUE(lease.has_value()) << lease.error().message;
  return lease ? *lease : Lease{};
}

Fence FenceOf(const Lease& lease) { return {lease.name, lease.token}; }

// The error of a write under that fence; nothing when it was done.
std::optional<ErrorCode> WriteFenced(Store& store, const Lease& lease, const Key& key) {
  const auto outcome = store.Commit({.operations = {Create(key)}, .fence = FenceOf(lease)});
  if (!outcome) return outcome.error().code;
  EXPECT_TRUE(outcome->committed);
  return std::nullopt;
}

TEST_P(StoreContract, Rule34ALeaseHasOneHolder) {
  const Lease lease = Acquire(store(), "one");
  EXPECT_EQ(lease.name, "leader");
  EXPECT_EQ(lease.holder, "one");
  const auto refused = store().AcquireLease("leader", "two", kTtl);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
  EXPECT_NE(refused.error().message.find("one"), std::string::npos) << "the message says who holds it";
  EXPECT_TRUE(store().AcquireLease("another", "two", kTtl).has_value());
  const auto seen = store().ObserveLease("leader");
  ASSERT_TRUE(seen.has_value() && seen->has_value());
  EXPECT_EQ((*seen)->holder, "one");
  EXPECT_EQ((*seen)->token, lease.token);
  EXPECT_EQ((*seen)->expires, lease.expires);
  const auto none = store().ObserveLease("nobody's");
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->has_value());
}

TEST_P(StoreContract, Rule34ALeaseIsAnObjectCreatedAtItsToken) {
  const Revision start = Head(store());
  const Lease lease = Acquire(store(), "quote\" back\\slash\n");
  const Page page = ListNow(store(), Of("Lease"));
  ASSERT_EQ(page.objects.size(), 1U);
  EXPECT_EQ(page.objects[0]->created, lease.token);
  EXPECT_EQ((*store().ObserveLease("leader"))->holder, "quote\" back\\slash\n");
  Mirror mirror;
  ASSERT_TRUE(store().RenewLease(lease, kTtl).has_value());
  harness().PassTime(2 * kTtl);
  Acquire(store(), "two");
  mirror.Apply(Reader(store(), start).Until(Head(store())));
  mirror.ExpectEquals(store());
  EXPECT_GE(mirror.events(), 4U) << "created, renewed, deleted and created";
}

TEST_P(StoreContract, Rule34TheHolderProlongsAndKeepsItsToken) {
  const Lease lease = Acquire(store(), "one");
  const Lease again = Acquire(store(), "one");
  EXPECT_EQ(again.token, lease.token);
  harness().PassTime(kTtl / 2);
  const auto renewed = store().RenewLease(lease, kTtl);
  ASSERT_TRUE(renewed.has_value());
  EXPECT_EQ(renewed->token, lease.token);
  EXPECT_GT(renewed->expires, again.expires);
  harness().PassTime(kTtl * 3 / 4);
  EXPECT_FALSE(store().AcquireLease("leader", "two", kTtl).has_value()) << "it would be over without the renewal";
}

TEST_P(StoreContract, Rule34AnExpiredLeaseIsTakenOverAndItsHolderFenced) {
  const Lease old = Acquire(store(), "one");
  EXPECT_EQ(WriteFenced(store(), old, Pod("a")), std::nullopt);
  harness().PassTime(2 * kTtl);
  EXPECT_EQ(WriteFenced(store(), old, Pod("b")), std::nullopt) << "nobody has taken it over yet";
  const Lease taken = Acquire(store(), "two");
  EXPECT_GT(taken.token, old.token);
  EXPECT_EQ(WriteFenced(store(), old, Pod("c")), ErrorCode::Fenced);
  EXPECT_EQ(WriteFenced(store(), taken, Pod("d")), std::nullopt);
  EXPECT_EQ(store().RenewLease(old, kTtl).error().code, ErrorCode::Fenced);
  EXPECT_EQ(store().ReleaseLease(old).error().code, ErrorCode::Fenced);
  EXPECT_EQ((*store().ObserveLease("leader"))->holder, "two");
}

TEST_P(StoreContract, Rule34ADeposedHoldersBindIsRefusedWhole) {
  Write(store(), {Create(Pod("a")), Create(Pod("b"))});
  const Lease old = Acquire(store(), "one");
  const std::vector<Binding> first = {{.pod = Pod("a"), .uid = "uid of a", .node = "n"}};
  EXPECT_TRUE(store().Bind(first, FenceOf(old)).has_value());
  harness().PassTime(2 * kTtl);
  const Lease taken = Acquire(store(), "two");
  const Revision head = Head(store());
  const std::vector<Binding> second = {{.pod = Pod("b"), .uid = "uid of b", .node = "n"}};
  const auto refused = store().Bind(second, FenceOf(old));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::Fenced);
  EXPECT_EQ(Get(store(), Pod("b"))->fields.node_name, "");
  EXPECT_EQ(Head(store()), head);
  EXPECT_TRUE(store().Bind(second, FenceOf(taken)).has_value());
}

TEST_P(StoreContract, Rule34AReleasedLeaseIsFreeAndFencesWhoReleasedIt) {
  const Lease lease = Acquire(store(), "one");
  ASSERT_TRUE(store().ReleaseLease(lease).has_value());
  EXPECT_FALSE(store().ObserveLease("leader")->has_value());
  EXPECT_EQ(WriteFenced(store(), lease, Pod("a")), ErrorCode::Fenced);
  EXPECT_EQ(store().RenewLease(lease, kTtl).error().code, ErrorCode::Fenced);
  EXPECT_EQ(store().ReleaseLease(lease).error().code, ErrorCode::Fenced);
  const Lease next = Acquire(store(), "one");
  EXPECT_GT(next.token, lease.token) << "the same holder, but another reign";
  EXPECT_EQ(WriteFenced(store(), lease, Pod("a")), ErrorCode::Fenced);
}

TEST_P(StoreContract, Rule34ALeaseNeedsAName) {
  EXPECT_EQ(store().AcquireLease("", "one", kTtl).error().code, ErrorCode::Invalid);
  EXPECT_EQ(store().AcquireLease("leader", "", kTtl).error().code, ErrorCode::Invalid);
  EXPECT_EQ(store().AcquireLease("leader", "one", Duration::zero()).error().code, ErrorCode::Invalid);
  EXPECT_EQ(store().RenewLease(Acquire(store(), "one"), Duration::zero()).error().code, ErrorCode::Invalid);
}

TEST_P(StoreContract, Rule34NoWriteOfADeposedHolderFollowsOneOfItsSuccessor) {
  // Four contenders, each sure to lead as long as nobody tells it otherwise, while time runs away. Every write names
  // the token it was made under: in the order of the history tokens must never fall.
  constexpr size_t kContenders = 4;
  const size_t attempts = GetParam().some_transactions / 5;
  const Revision start = Write(store(), {Create(Pod("ledger"), "0")});
  std::vector<std::thread> contenders;
  for (size_t me = 0; me < kContenders; ++me) {
    contenders.emplace_back([&, me] {
      const std::string name = "contender " + std::to_string(me);
      std::optional<Lease> lease;
      for (size_t i = 0; i < attempts; ++i) {
        if (!lease) {
          if (auto taken = store().AcquireLease("leader", name, kTtl)) lease = *taken;
          continue;
        }
        const auto outcome = store().Commit(
            {.operations = {Update(Pod("ledger"), std::to_string(lease->token))}, .fence = FenceOf(*lease)});
        if (!outcome) {
          EXPECT_EQ(outcome.error().code, ErrorCode::Fenced);
          lease.reset();
        }
      }
    });
  }
  for (size_t i = 0; i < 50; ++i) harness().PassTime(kTtl / 5);
  for (std::thread& contender : contenders) contender.join();
  Revision highest = 0;
  size_t written = 0;
  for (const WatchItem& item : Reader(store(), start, Of("Pod")).BatchesUntil(Head(store()))) {
    for (const Event& event : item.events) {
      const Revision token = std::stoll(*event.object->value);
      EXPECT_GE(token, highest);
      highest = std::max(highest, token);
      ++written;
    }
  }
  EXPECT_GT(written, 0U);
}

TEST_P(StoreContract, Rule35ALeaseSurvivesCompaction) {
  const Lease lease = Acquire(store(), "one");
  for (int i = 0; i < 10; ++i) Write(store(), {Create(Pod(Numbered("p", static_cast<size_t>(i))))});
  ASSERT_TRUE(store().Compact(Head(store())).has_value());
  EXPECT_EQ(WriteFenced(store(), lease, Pod("a")), std::nullopt);
  const auto renewed = store().RenewLease(lease, kTtl);
  ASSERT_TRUE(renewed.has_value());
  EXPECT_EQ(renewed->token, lease.token);
  EXPECT_FALSE(store().AcquireLease("leader", "two", kTtl).has_value());
}

TEST_P(DurableStoreContract, Rule35ALeaseSurvivesAShortEndOfItsStore) {
  const Lease lease = Acquire(store(), "one");
  ASSERT_TRUE(harness().Reopen());
  EXPECT_FALSE(store().AcquireLease("leader", "two", kTtl).has_value());
  const auto renewed = store().RenewLease(lease, kTtl);
  ASSERT_TRUE(renewed.has_value());
  EXPECT_EQ(renewed->token, lease.token);
  EXPECT_EQ(WriteFenced(store(), lease, Pod("a")), std::nullopt);
}

}  // namespace
}  // namespace berth::store::contract
