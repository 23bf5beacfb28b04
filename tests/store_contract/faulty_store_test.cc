// SPDX-License-Identifier: Apache-2.0
#include "support/faulty_store.h"

#include "store/memory/memory_store.h"
#include "store_contract/contract.h"
#include "store_contract/reader.h"
#include "store_contract/words.h"
#include "support/dice.h"
#include "support/rounds.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::store::contract {
namespace {

using Kind = WatchItem::Kind;
using test::Fault;
using test::FaultCounts;
using test::Faults;
using test::FaultyStore;

// Faults over a store in memory. Nobody sleeps; what a delay would have seen is looked at instead.
struct StoreWithFaults {
  explicit StoreWithFaults(const Faults& faults = {}, uint64_t seed = 1)
      : memory(clock), store(seed, [this](Duration delay) {
          EXPECT_EQ(delay, Faults().delay);
          ++delays;
          if (while_delayed) while_delayed();
        }) {
    store.Wrap(memory);
    store.Set(faults);
  }

  TurnedClock clock;
  MemoryStore memory;
  FaultyStore store;
  size_t delays = 0;
  std::function<void()> while_delayed = {};
};

std::optional<ErrorCode> ErrorOf(const auto& result) {
  return result ? std::nullopt : std::optional(result.error().code);
}

bool Has(Store& store, const Key& key) { return store.Get(key).has_value(); }

class FaultyHarness final : public Harness {
 public:
  FaultyHarness(const Limits& limits, const Faults& faults) : faults_(faults), memory_(clock_, limits) {
    static_cast<void>(Reopen());
  }
  Store& store() override { return *store_; }
  void PassTime(Duration by) override { clock_.Advance(by); }
  // What ends is the way to the data, as that of a client whose server goes on.
  bool Reopen() override {
    store_ = std::make_unique<FaultyStore>(1, [](Duration) {});
    store_->Wrap(memory_);
    store_->Set(faults_);
    return true;
  }

 private:
  const Faults faults_;
  TurnedClock clock_;
  MemoryStore memory_;
  std::unique_ptr<FaultyStore> store_;
};

// Delays are no fault that a caller could see, nor is a state that is older where any is good enough.
Engine FaultyButPatientEngine() {
  return {.name = "faulty",
          .make =
              [](const Limits& limits) {
                return std::make_unique<FaultyHarness>(
                    limits, Faults{.slow_request = 3, .slow_answer = 3, .slow_read = 3, .stale_list = 3});
              },
          .many_transactions = 4'000,
          .some_transactions = 200,
          .many_pods = 2'000};
}
INSTANTIATE_TEST_SUITE_P(FaultyButPatient, StoreContract, testing::Values(FaultyButPatientEngine()));
INSTANTIATE_TEST_SUITE_P(FaultyButPatient, DurableStoreContract, testing::Values(FaultyButPatientEngine()));

TEST(FaultyStore, AnUnavailableWriteHasDoneNothing) {
  StoreWithFaults faulty;
  faulty.store.ScriptWrites({Fault::Unavailable, Fault::None});
  EXPECT_EQ(ErrorOf(faulty.store.Commit({.operations = {Create(Pod("a"))}})), ErrorCode::Unavailable);
  EXPECT_FALSE(Has(faulty.memory, Pod("a")));
  Write(faulty.store, {Create(Pod("a"))});
  EXPECT_TRUE(Has(faulty.memory, Pod("a")));
  EXPECT_EQ(faulty.store.counts().unavailable, 1U);
}

TEST(FaultyStore, AnUnknownWriteIsDoneOrNot) {
  StoreWithFaults faulty;
  faulty.store.ScriptWrites({Fault::LostAnswer, Fault::LostRequest});
  EXPECT_EQ(ErrorOf(faulty.store.Commit({.operations = {Create(Pod("done"))}})), ErrorCode::Unknown);
  EXPECT_EQ(ErrorOf(faulty.store.Commit({.operations = {Create(Pod("undone"))}})), ErrorCode::Unknown);
  EXPECT_TRUE(Has(faulty.memory, Pod("done")));
  EXPECT_FALSE(Has(faulty.memory, Pod("undone")));
  EXPECT_EQ(faulty.store.counts().unknown, 2U);
}

TEST(FaultyStore, ASlowWriteIsDoneAfterTheDelayAndALateOneBefore) {
  StoreWithFaults faulty;
  std::vector<bool> there;
  faulty.while_delayed = [&] { there.push_back(Has(faulty.memory, Pod(there.empty() ? "slow" : "late"))); };
  faulty.store.ScriptWrites({Fault::SlowRequest, Fault::SlowAnswer});
  Write(faulty.store, {Create(Pod("slow"))});
  Write(faulty.store, {Create(Pod("late"))});
  EXPECT_EQ(there, (std::vector{false, true}));
  EXPECT_TRUE(Has(faulty.memory, Pod("slow")));
}

TEST(FaultyStore, BindsAndLeasesAreWrites) {
  StoreWithFaults faulty;
  Write(faulty.memory, {Create(Pod("a"))});
  const std::vector<Binding> bindings = {{.pod = Pod("a"), .uid = "uid of a", .node = "n"}};
  faulty.store.ScriptWrites(
      {Fault::LostAnswer, Fault::Unavailable, Fault::LostAnswer, Fault::LostAnswer, Fault::LostRequest});
  EXPECT_EQ(ErrorOf(faulty.store.Bind(bindings, std::nullopt)), ErrorCode::Unknown);
  EXPECT_EQ(Get(faulty.memory, Pod("a"))->fields.node_name, "n");
  EXPECT_EQ(ErrorOf(faulty.store.AcquireLease("leader", "me", std::chrono::seconds(1))), ErrorCode::Unavailable);
  EXPECT_FALSE(faulty.store.ObserveLease("leader")->has_value());
  EXPECT_EQ(ErrorOf(faulty.store.AcquireLease("leader", "me", std::chrono::seconds(1))), ErrorCode::Unknown);
  const Lease lease = **faulty.store.ObserveLease("leader");
  EXPECT_EQ(ErrorOf(faulty.store.RenewLease(lease, std::chrono::seconds(9))), ErrorCode::Unknown);
  EXPECT_GT((*faulty.store.ObserveLease("leader"))->expires, lease.expires);
  EXPECT_EQ(ErrorOf(faulty.store.ReleaseLease(lease)), ErrorCode::Unknown);
  EXPECT_TRUE(faulty.store.ObserveLease("leader")->has_value());
}

TEST(FaultyStore, ChancesAreKeptAndEqualForEqualSeeds) {
  const auto play = [](uint64_t seed) {
    StoreWithFaults faulty({.slow_request = 10, .unavailable_write = 5, .lost_request = 20, .lost_answer = 20}, seed);
    std::string errors;
    for (size_t i = 0; i < 1000; ++i) {
      const auto outcome = faulty.store.Commit({.operations = {Create(Pod(Numbered("p", i)))}});
      errors += outcome ? '.' : outcome.error().code == ErrorCode::Unavailable ? 'u' : '?';
    }
    const FaultCounts counts = faulty.store.counts();
    EXPECT_NEAR(static_cast<double>(counts.unavailable), 200, 60);
    EXPECT_NEAR(static_cast<double>(counts.unknown), 80, 40);
    EXPECT_NEAR(static_cast<double>(counts.slow), 100, 40);
    EXPECT_EQ(counts.slow, faulty.delays);
    const size_t done = ListNow(faulty.memory).objects.size();
    EXPECT_GT(done, 1000 - counts.unavailable - counts.unknown) << "some of the unknown ones are done";
    EXPECT_LT(done, 1000 - counts.unavailable) << "and some are not";
    return errors;
  };
  EXPECT_EQ(play(1), play(1));
  EXPECT_NE(play(1), play(2));
}

TEST(FaultyStore, ReadsFailToo) {
  StoreWithFaults faulty({.unavailable_read = 1});
  EXPECT_EQ(ErrorOf(faulty.store.Get(Pod("a"))), ErrorCode::Unavailable);
  EXPECT_EQ(ErrorOf(faulty.store.List({})), ErrorCode::Unavailable);
  EXPECT_EQ(ErrorOf(faulty.store.OpenWatch({})), ErrorCode::Unavailable);
  EXPECT_EQ(ErrorOf(faulty.store.CurrentRevision()), ErrorCode::Unavailable);
  EXPECT_EQ(ErrorOf(faulty.store.WaitFor(0, Duration::zero())), ErrorCode::Unavailable);
  EXPECT_EQ(ErrorOf(faulty.store.ObserveLease("leader")), ErrorCode::Unavailable);
  EXPECT_EQ(faulty.store.counts().unavailable, 6U);
}

TEST(FaultyStore, AStaleListShowsAnOlderStateOnlyToWhomAnyIsGoodEnough) {
  StoreWithFaults faulty({.stale_list = 1});
  for (size_t i = 0; i < 30; ++i) Write(faulty.store, {Create(Pod(Numbered("p", i)))});
  const Page stale = List(faulty.store, {.match = ListOptions::Match::Any});
  EXPECT_LT(stale.revision, 30);
  EXPECT_EQ(stale.objects.size(), static_cast<size_t>(stale.revision)) << "an old state, but a true one";
  EXPECT_EQ(ListNow(faulty.store).revision, 30);
  EXPECT_EQ(List(faulty.store, {.match = ListOptions::Match::NotOlderThan, .revision = 5}).revision, 30);
  EXPECT_EQ(faulty.store.counts().bad_lists, 1U);
}

TEST(FaultyStore, CutWatchesSayClosedAlsoToWhoIsWaiting) {
  StoreWithFaults faulty;
  Write(faulty.store, {Create(Pod("a"))});
  Reader idle(faulty.store, 0);
  const std::unique_ptr<Watch> waiting = Open(faulty.store, {.after = 1});
  std::thread cutter([&] { faulty.store.CutWatches(); });
  EXPECT_EQ(waiting->Next(std::chrono::hours(1)).kind, Kind::Closed);
  cutter.join();
  EXPECT_EQ(idle.Next().kind, Kind::Closed);
  EXPECT_EQ(Reader(faulty.store, 0).Next().kind, Kind::Batch) << "a new one goes on";
  EXPECT_EQ(faulty.store.counts().cut, 2U);
}

TEST(FaultyStore, AWatchIsCutAfterExactlySoManyWords) {
  for (size_t words = 0; words < 5; ++words) {
    StoreWithFaults faulty({.cut_watch_after = words});
    for (size_t i = 0; i < 5; ++i) Write(faulty.store, {Create(Pod(Numbered("p", i)))});
    Reader reader(faulty.store, 0);
    for (size_t i = 0; i < words; ++i) EXPECT_EQ(reader.Next().kind, Kind::Batch);
    EXPECT_EQ(reader.Next().kind, Kind::Closed);
    EXPECT_EQ(reader.position(), static_cast<Revision>(words));
  }
}

TEST(FaultyStore, LostHistoryExpiresEverythingThatBuildsOnIt) {
  StoreWithFaults faulty;
  Write(faulty.store, {Create(Pod("a")), Create(Pod("b"))});
  const Page half = List(faulty.store, {.limit = 1});
  Reader reader(faulty.store, half.revision);
  const Revision head = Write(faulty.store, {Create(Pod("c"))});
  faulty.store.LoseHistory();
  const WatchItem last = reader.Next();
  EXPECT_EQ(last.kind, Kind::Expired);
  EXPECT_EQ(last.revision, head);
  EXPECT_EQ(Reader(faulty.store, half.revision).Next().kind, Kind::Expired) << "also one opened later";
  EXPECT_EQ(ErrorOf(faulty.store.List({.match = ListOptions::Match::Exact, .revision = half.revision})),
            ErrorCode::Expired);
  EXPECT_EQ(ErrorOf(faulty.store.List({.continue_token = half.continue_token})), ErrorCode::Expired);
  EXPECT_EQ(faulty.store.CompactFloor(), head);
  EXPECT_EQ(faulty.store.GetStats().compact_floor, head);
  // Listing again is the way out.
  const Page page = ListNow(faulty.store);
  EXPECT_EQ(page.objects.size(), 3U);
  Reader again(faulty.store, page.revision);
  const Revision next = Write(faulty.store, {Delete(Pod("a"))});
  EXPECT_EQ(again.Next().revision, next);
}

TEST(FaultyStore, ARepeatingWatchTellsABitOfBefore) {
  StoreWithFaults faulty({.early_watch = 1});
  for (size_t i = 0; i < 20; ++i) Write(faulty.store, {Create(Pod(Numbered("p", i)))});
  const std::unique_ptr<Watch> watch = Open(faulty.store, {.after = 10});
  const WatchItem item = watch->Next(Duration::zero());
  EXPECT_LE(item.revision, 10);
  EXPECT_GT(item.revision, 4);
  ASSERT_TRUE(faulty.store.Compact(15).has_value());
  EXPECT_GE(Open(faulty.store, {.after = 15})->Next(Duration::zero()).revision, 15) << "but nothing that is compacted";
}

// One who follows a store as everybody should: list, watch, resume after what was told, drop what was told before, and
// list again when the history is gone.
class Follower {
 public:
  explicit Follower(Store& store) : store_(store) {}

  // Goes a step; does not care what fails.
  void Step() {
    if (watch_ == nullptr) return Connect();
    const WatchItem item = watch_->Next(Duration::zero());
    if (item.kind == Kind::Closed || item.kind == Kind::Expired) watch_.reset();
    if (item.kind == Kind::Expired) listed_ = false;
    if (item.kind == Kind::Bookmark) position_ = item.revision;
    if (item.kind != Kind::Batch || item.revision <= position_) return;
    for (const Event& event : item.events) {
      if (event.type == Event::Type::Deleted) {
        objects_.erase(event.object->key);
      } else {
        objects_[event.object->key] = event.object;
      }
    }
    position_ = item.revision;
  }
  Revision position() const { return position_; }
  std::vector<RecordPtr> Objects() const {
    std::vector<RecordPtr> objects;
    for (const auto& [key, object] : objects_) objects.push_back(object);
    return objects;
  }

 private:
  void Connect() {
    if (!listed_) {
      const auto page = store_.List({.match = ListOptions::Match::Any});
      if (!page || page->revision < position_) return;
      objects_.clear();
      for (const RecordPtr& object : page->objects) objects_.emplace(object->key, object);
      position_ = page->revision;
      listed_ = true;
    }
    if (auto watch = store_.OpenWatch({.after = position_})) watch_ = std::move(*watch);
  }

  Store& store_;
  std::unique_ptr<Watch> watch_;
  bool listed_ = false;
  Revision position_ = 0;
  std::map<Key, RecordPtr> objects_;
};

TEST(FaultyStore, WhoFollowsTheRulesComesToTheTruthThroughAllFaults) {
  for (uint64_t seed = 1; seed <= test::Rounds(20); ++seed) {
    SCOPED_TRACE(seed);
    StoreWithFaults faulty({.slow_request = 10,
                            .slow_answer = 10,
                            .unavailable_write = 10,
                            .lost_request = 20,
                            .lost_answer = 20,
                            .slow_read = 10,
                            .unavailable_read = 10,
                            .stale_list = 2,
                            .cut_watch = 20,
                            .expire_watch = 50,
                            .repeated_batch = 20,
                            .early_watch = 2},
                           seed);
    test::Dice dice(seed);
    Follower follower(faulty.store);
    for (int i = 0; i < 300; ++i) {
      static_cast<void>(faulty.store.Commit({.operations = {RandomOperation(dice, 10)}}));
      if (dice.Chance(0.02)) faulty.store.LoseHistory();
      if (dice.Chance(0.05)) faulty.store.CutWatches();
      for (size_t steps = dice.Below(4); steps > 0; --steps) follower.Step();
    }
    const Page truth = ListNow(faulty.memory);
    for (int i = 0; i < 10'000 && follower.position() < truth.revision; ++i) follower.Step();
    EXPECT_EQ(follower.position(), truth.revision);
    EXPECT_EQ(ToTexts(follower.Objects()), ToTexts(truth.objects));
    const FaultCounts counts = faulty.store.counts();
    EXPECT_GT(counts.cut, 0U);
    EXPECT_GT(counts.expired, 0U);
    EXPECT_GT(counts.repeated, 0U);
  }
}

}  // namespace
}  // namespace berth::store::contract
