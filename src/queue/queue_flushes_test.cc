// SPDX-License-Identifier: Apache-2.0
#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

// What the passing of time does.
class QueueFlushesTest : public testing::Test, protected QueueTestBed {
 protected:
  void TickAt(Timestamp moment) {
    clock_.Advance(moment - clock_.Now());
    queue().Tick();
  }
};

TEST_F(QueueFlushesTest, PodsAreReadyInTheSecondAfterTheirPenalty) {
  Plugin("Fit", {kNodeAdd});
  clock_.Advance(700ms);
  AddFailed(MakePod("p"), {"Fit"});
  AddFailed(MakePod("broken"), {});
  EXPECT_EQ(PlaceOf("broken"), Place::ErrorBackoff);
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Backoff);
  EXPECT_EQ(queue().sizes().backoff, 2U);
  EXPECT_EQ(queue().NextTick(), AtSecond(2)) << "failed at 0.7 s, penalty till 1.7 s, which lasts through that second";
  TickAt(AtSecond(1) + 999ms);
  EXPECT_EQ(PlaceOf("p"), Place::Backoff);
  EXPECT_EQ(PlaceOf("broken"), Place::ErrorBackoff);
  TickAt(AtSecond(2));
  EXPECT_EQ(PlaceOf("p"), Place::Active);
  EXPECT_EQ(PlaceOf("broken"), Place::Active);
  EXPECT_EQ(queue().NextTick(), std::nullopt);
}

TEST_F(QueueFlushesTest, AnEventFindsThePodWithoutPenaltyOnceItIsOver) {
  Plugin("Fit", {kNodeAdd});
  AddFailed(MakePod("p"), {"Fit"});
  clock_.Advance(2s);
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Active);
}

TEST_F(QueueFlushesTest, PenaltiesGrowWithEveryFailure) {
  Plugin("Fit", {kNodeAdd});
  Add("p");
  for (const Duration penalty :
       {Duration(1s), Duration(2s), Duration(4s), Duration(8s), Duration(10s), Duration(10s)}) {
    ASSERT_EQ(Pop(), "p");
    Fail("p", {"Fit"});
    Wake(kNodeAdd);
    const Timestamp ready = clock_.Now() + penalty + 1s;
    EXPECT_EQ(queue().NextTick(), ready);
    TickAt(ready - 1ns);
    EXPECT_EQ(PlaceOf("p"), Place::Backoff) << penalty.count();
    TickAt(ready);
    EXPECT_EQ(PlaceOf("p"), Place::Active) << penalty.count();
  }
}

TEST_F(QueueFlushesTest, WithoutPenaltiesNobodyBacksOff) {
  options_.max_backoff = 0s;
  Plugin("Fit", {kNodeAdd});
  EXPECT_EQ(AddFailed(MakePod("broken"), {}), Place::Active);
  Pop();
  AddFailed(MakePod("p"), {"Fit"});
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Active);
}

TEST_F(QueueFlushesTest, WhenNobodyIsActiveOneThatBacksOffIsPopped) {
  Plugin("Fit", {kNodeAdd});
  AddFailed(MakePod("later").Priority(9), {"Fit"});
  clock_.Advance(20s);
  Wake(kNodeAdd);
  Pop();
  Fail("later", {"Fit"});
  AddFailed(MakePod("low").Priority(1), {"Fit"});
  clock_.Advance(400ms);
  AddFailed(MakePod("high").Priority(5), {"Fit"});
  Wake(kNodeAdd);
  AddFailed(MakePod("broken").Priority(9), {});
  Add("active");
  EXPECT_EQ(queue().sizes().backoff, 4U);
  // Who backs off comes by the second in which its penalty ends, then by priority. After an error nobody comes early.
  EXPECT_EQ(PopAll(), (Names{"active", "high", "low", "later"}));
  EXPECT_EQ(PlaceOf("broken"), Place::ErrorBackoff);
}

TEST_F(QueueFlushesTest, WhoWaitsTooLongIsTriedAgain) {
  FakePlugin& fit = Plugin("Fit", {kNodeAdd});
  AddFailed(MakePod("p"), {"Fit"});
  clock_.Advance(10s);
  AddFailed(MakePod("q"), {"Fit"});
  EXPECT_EQ(queue().NextTick(), AtSecond(330)) << "every 30 s; at 300 s it has not been more than five minutes";
  TickAt(AtSecond(270));
  EXPECT_EQ(queue().NextTick(), AtSecond(330));
  TickAt(AtSecond(300));
  EXPECT_EQ(PlaceOf("p"), Place::Unschedulable);
  TickAt(AtSecond(300) + 1s);
  EXPECT_EQ(PlaceOf("p"), Place::Unschedulable) << "it is not the time to look";
  TickAt(AtSecond(330));
  EXPECT_EQ(PlaceOf("p"), Place::Active);
  EXPECT_EQ(PlaceOf("q"), Place::Active);
  EXPECT_TRUE(Queued("p").was_flushed);
  EXPECT_EQ(Queued("p").flushed, AtSecond(330));
  EXPECT_EQ(fit.asked, 0);
  EXPECT_EQ(Pop(), "p");
  EXPECT_TRUE(Popped("p").was_flushed) << "who schedules it wants to know";
  Fail("p", {"Fit"});
  EXPECT_FALSE(Queued("p").was_flushed);
  EXPECT_EQ(Queued("p").flushed, std::nullopt);
}

TEST_F(QueueFlushesTest, ExactlyTheTimeIsNotTooLong) {
  options_.max_unschedulable = 60s;
  Plugin("Fit", {kNodeAdd});
  queue();
  clock_.Advance(20s);
  AddFailed(MakePod("older"), {"Fit"});
  clock_.Advance(10s);
  AddFailed(MakePod("younger"), {"Fit"});
  TickAt(AtSecond(90));
  EXPECT_EQ(PlaceOf("older"), Place::Active);
  EXPECT_EQ(PlaceOf("younger"), Place::Unschedulable);
  EXPECT_EQ(queue().NextTick(), AtSecond(120));
}

TEST_F(QueueFlushesTest, TheFlushMindsPenaltiesAndGates) {
  options_.max_unschedulable = 5s;
  Plugin("Fit", {kNodeAdd});
  FakePlugin& gates = GatingPlugin("Gates", {});
  gates.gate.closed_to = {"gated"};
  clock_.Advance(20s);
  Add("gated");
  Add("late");
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(Pop(), "late");
    Fail("late", {"Fit"});
    if (i < 4) Wake(kWildCard);
  }
  AddFailed(MakePod("newly-gated"), {"Fit"});
  gates.gate.closed_to.emplace_back("newly-gated");
  TickAt(AtSecond(30));
  EXPECT_EQ(PlaceOf("late"), Place::Backoff);
  EXPECT_TRUE(Queued("late").was_flushed);
  EXPECT_EQ(PlaceOf("gated"), Place::Gated);
  EXPECT_EQ(PlaceOf("newly-gated"), Place::Gated);
  for (const char* name : {"gated", "newly-gated"}) {
    EXPECT_FALSE(Queued(name).was_flushed) << "it will not be tried because of the flush";
    EXPECT_EQ(Queued(name).flushed, AtSecond(30));
  }
  gates.gate.asked = 0;
  TickAt(AtSecond(34));
  EXPECT_EQ(gates.gate.asked, 0) << "flushed not long ago";
  TickAt(AtSecond(60));
  EXPECT_EQ(gates.gate.asked, 2);
}

TEST_F(QueueFlushesTest, TheFlushConcernsPodsInFlightToo) {
  Plugin("Fit", {kNodeAdd});
  AddFailed(MakePod("old"), {"Fit"});
  Add("flying");
  EXPECT_EQ(Pop(), "flying");
  TickAt(AtSecond(400));
  EXPECT_EQ(queue().sizes().in_flight_events, 1U);
  EXPECT_EQ(Fail("flying", {"Fit"}), Place::Backoff);
}

TEST_F(QueueFlushesTest, NextTickLeadsFromOneMomentToTheNext) {
  options_.max_unschedulable = 60s;
  Plugin("Fit", {kNodeAdd});
  EXPECT_EQ(queue().NextTick(), std::nullopt);
  clock_.Advance(1'234ms);
  for (const char* name : {"a", "b"}) AddFailed(MakePod(name), {"Fit"});
  AddFailed(MakePod("broken"), {});
  queue().Remove("default/a");
  std::vector<int64_t> moments;
  while (const std::optional<Timestamp> next = queue().NextTick()) {
    EXPECT_GT(*next, clock_.Now());
    moments.push_back(std::chrono::duration_cast<std::chrono::seconds>(*next - AtSecond(0)).count());
    TickAt(*next);
  }
  EXPECT_EQ(moments, (std::vector<int64_t>{3, 90}));
  EXPECT_EQ(queue().sizes().active, 2U);
}

// With the gate SchedulerPopFromBackoffQ off.
class NoEarlyTriesTest : public QueueFlushesTest {
 protected:
  NoEarlyTriesTest() { options_.pop_from_backoff = false; }
};

TEST_F(NoEarlyTriesTest, NobodyIsTriedBeforeItsPenaltyIsOver) {
  Plugin("Fit", {kNodeAdd});
  AddFailed(MakePod("p"), {"Fit"});
  Wake(kNodeAdd);
  ASSERT_EQ(PlaceOf("p"), Place::Backoff);
  EXPECT_EQ(Pop(), "");
  TickAt(AtSecond(2));
  EXPECT_EQ(Pop(), "p");
}

TEST_F(NoEarlyTriesTest, GatesAreAskedWhenThePenaltyIsOver) {
  FakePlugin& plugin = GatingPlugin("Gate", {kNodeAdd});
  AddFailed(MakePod("p"), {"Gate"});
  plugin.gate.closed_to = {"p"};
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Backoff) << "asked only later";
  TickAt(AtSecond(2));
  EXPECT_EQ(PlaceOf("p"), Place::Gated);
  EXPECT_EQ(queue().sizes().gated, 1U);
}

TEST_F(NoEarlyTriesTest, APenaltyEndsToTheMoment) {
  Plugin("Fit", {kNodeAdd});
  clock_.Advance(200ms);
  AddFailed(MakePod("p"), {"Fit"});
  clock_.Advance(1001ms);  // 1.2 s is when the penalty ends, in the second that would still count otherwise
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Active);
}

}  // namespace
}  // namespace berth::queue
