// SPDX-License-Identifier: Apache-2.0
#include "queue/scheduling_queue.h"

#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

class SchedulingQueueTest : public testing::Test, protected QueueTestBed {};

TEST_F(SchedulingQueueTest, PodsArePoppedAsQueueSortOrdersThem) {
  Add(MakePod("middle").Priority(5));
  clock_.Advance(1ms);
  Add(MakePod("late"));
  Add(MakePod("high").Priority(10));
  clock_.Advance(1ms);
  Add(MakePod("middle-late").Priority(5));
  EXPECT_EQ(queue().sizes().active, 4U);
  EXPECT_EQ(PopAll(), (Names{"high", "middle", "middle-late", "late"}));
  EXPECT_EQ(queue().scheduling_cycle(), 4);
  EXPECT_EQ(queue().Pop(), nullptr);
  EXPECT_EQ(queue().scheduling_cycle(), 4);
}

TEST_F(SchedulingQueueTest, EqualPodsArePoppedInOrderOfArrival) {
  Names names;
  for (int i = 0; i < 100; ++i) {
    names.push_back("p" + std::to_string(i));
    Add(names.back());
  }
  EXPECT_EQ(PopAll(), names);
}

TEST_F(SchedulingQueueTest, APoppedPodIsInFlightUntilItIsDone) {
  Add("p");
  EXPECT_EQ(PlaceOf("p"), Place::Active);
  clock_.Advance(3s);
  EXPECT_EQ(Pop(), "p");
  EXPECT_EQ(PlaceOf("p"), Place::InFlight);
  EXPECT_EQ(queue().Find("default/p"), nullptr);
  EXPECT_EQ(queue().sizes().in_flight, 1U);
  EXPECT_EQ(Popped("p").attempts, 1);
  EXPECT_EQ(Popped("p").queued, AtSecond(0));
  EXPECT_EQ(Popped("p").first_attempt, AtSecond(0));
  queue().Done("default/p");
  queue().Done("default/p");
  EXPECT_EQ(PlaceOf("p"), Place::None);
  EXPECT_EQ(queue().sizes().in_flight, 0U);
}

TEST_F(SchedulingQueueTest, AddingAKnownPodChangesNothing) {
  Add(MakePod("p").Priority(1));
  clock_.Advance(1s);
  Add(MakePod("p").Priority(7));
  EXPECT_EQ(Queued("p").pod->pod->priority(), 1);
  EXPECT_EQ(Queued("p").queued, AtSecond(0));
  Pop();
  Add("p");
  EXPECT_EQ(PlaceOf("p"), Place::InFlight);
  EXPECT_EQ(queue().Pop(), nullptr);
}

TEST_F(SchedulingQueueTest, RemovedPodsAreGoneFromEveryPlace) {
  GatingPlugin("Gates", {}).gate.closed_to = {"gated"};
  Add("gated");
  AddFailed(MakePod("waiting"), {"Fit"});
  AddFailed(MakePod("failed"), {"Fit"});
  AddFailed(MakePod("backing-off"), {"Fit"});
  AddFailed(MakePod("broken"), {});
  Wake(kWildCard);
  queue().Remove("default/failed");
  Add("flying");
  Pop();
  AddFailed(MakePod("waits-again"), {"Fit"});
  Add("active");

  const std::pair<const char*, Place> places[] = {
      {"gated", Place::Gated},         {"waiting", Place::Backoff}, {"broken", Place::ErrorBackoff},
      {"backing-off", Place::Backoff}, {"active", Place::Active},   {"waits-again", Place::Unschedulable}};
  for (const auto& [name, place] : places) {
    EXPECT_EQ(PlaceOf(name), place) << name;
    queue().Remove("default/" + std::string(name));
    EXPECT_EQ(PlaceOf(name), Place::None) << name;
  }
  queue().Remove("default/nobody");
  queue().Remove("default/flying");
  EXPECT_EQ(PlaceOf("flying"), Place::InFlight) << "whoever popped it finds out";
  const SchedulingQueue::Sizes sizes = queue().sizes();
  EXPECT_EQ(sizes.active + sizes.backoff + sizes.unschedulable + sizes.gated, 0U);
  clock_.Advance(1h);
  queue().Tick();
  EXPECT_EQ(queue().Pop(), nullptr);
}

TEST_F(SchedulingQueueTest, ProfilesAreFoundByTheirNames) {
  ProfileAt(1);
  EXPECT_EQ(queue().ProfileFor("default-scheduler"), 0U);
  EXPECT_EQ(queue().ProfileFor("scheduler-1"), 1U);
  EXPECT_EQ(queue().ProfileFor("nobody"), std::nullopt);
  auto pod = MakePod("p");
  pod.spec().scheduler_name = "scheduler-1";
  Add(pod);
  EXPECT_EQ(Queued("p").profile, 1U);
  EXPECT_EQ(queue().profile(1).scheduler_name, "scheduler-1");
}

TEST_F(SchedulingQueueTest, EveryPodInTheQueueIsVisitedInOrderOfArrival) {
  Plugin("Fit", {kNodeAdd});
  AddFailed(MakePod("c"), {"Fit"});
  AddFailed(MakePod("b"), {});
  Add("a");
  Add("d");
  EXPECT_EQ(Pop(), "a");
  Names names;
  queue().ForEach([&](const QueuedPod& pod) { names.push_back(pod.pod->pod->meta.name); });
  EXPECT_EQ(names, (Names{"c", "b", "d"}));
}

// Updates.

TEST_F(SchedulingQueueTest, AnUpdatedUnknownPodIsAdded) {
  Update(MakePod("p"), MakePod("p").Label("a", "b"));
  EXPECT_EQ(PlaceOf("p"), Place::Active);
  Update(MakePod("again").Uid("first"), MakePod("again").Uid("second"));
  EXPECT_EQ(queue().PlaceOf("second"), Place::Active);
  Update(MakePod("again").Uid("second"), MakePod("again").Uid("third"));
  EXPECT_EQ(queue().PlaceOf("second"), Place::None);
  EXPECT_EQ(queue().PlaceOf("third"), Place::Active);
}

TEST_F(SchedulingQueueTest, AnActivePodStaysActiveAndFindsItsNewOrder) {
  Add(MakePod("a").Priority(3));
  Add(MakePod("b").Priority(2));
  Add(MakePod("c").Priority(1));
  Update(MakePod("c").Priority(1), MakePod("c").Priority(9));
  Update(MakePod("a").Priority(3), MakePod("a").Priority(0));
  EXPECT_EQ(PopAll(), (Names{"c", "b", "a"}));
}

TEST_F(SchedulingQueueTest, APodThatBacksOffIsUpdatedInItsPlace) {
  Plugin("Fit", {kNodeAdd});
  AddFailed(MakePod("a").Priority(3), {"Fit"});
  AddFailed(MakePod("b").Priority(2), {"Fit"});
  AddFailed(MakePod("broken"), {});
  Wake(kNodeAdd);
  ASSERT_EQ(PlaceOf("b"), Place::Backoff);
  Update(MakePod("b").Priority(2), MakePod("b").Priority(5));
  Update(MakePod("broken"), MakePod("broken").Priority(8));
  EXPECT_EQ(PlaceOf("b"), Place::Backoff);
  EXPECT_EQ(PlaceOf("broken"), Place::ErrorBackoff);
  EXPECT_EQ(Queued("broken").pod->pod->priority(), 8);
  EXPECT_EQ(PopAll(), (Names{"b", "a"}));
}

TEST_F(SchedulingQueueTest, TheUpdateOfAWaitingPodAsksItsRejectors) {
  const ClusterEvent labels{EventResource::Pod, framework::kUpdatePodLabel};
  FakePlugin& rejector = Plugin("Rejector", {labels});
  FakePlugin& other = Plugin("Other", {labels});
  const auto label = [](const char* name) { return MakePod(name).Label("new", "label"); };

  rejector.says = QueueingHint::QueueSkip;
  AddFailed(MakePod("p"), {"Rejector"});
  Update(MakePod("p"), label("p"));
  EXPECT_EQ(PlaceOf("p"), Place::Unschedulable);
  EXPECT_TRUE(Queued("p").pod->pod->meta.labels.Has("new"));
  EXPECT_EQ(rejector.asked, 1);
  EXPECT_EQ(other.asked, 0);

  rejector.says = QueueingHint::Queue;
  Update(label("p"), label("p"));
  EXPECT_EQ(PlaceOf("p"), Place::Unschedulable) << "nobody registered for an update without a name";
  Update(label("p"), label("p").Label("newer", "label"));
  EXPECT_EQ(PlaceOf("p"), Place::Backoff);

  AddFailed(MakePod("q").Priority(1), {"Rejector"});
  clock_.Advance(2s);
  Update(MakePod("q").Priority(1), label("q").Priority(1));
  EXPECT_EQ(PlaceOf("q"), Place::Active);
}

// Activation.

TEST_F(SchedulingQueueTest, ActivationMovesPodsWhateverTheyWaitFor) {
  FakePlugin& fit = Plugin("Fit", {kNodeAdd});
  GatingPlugin("Gates", {}).gate.closed_to = {"gated"};
  Add("gated");
  AddFailed(MakePod("backing-off"), {"Fit"});
  AddFailed(MakePod("broken"), {});
  Wake(kNodeAdd);
  AddFailed(MakePod("waiting"), {"Fit"});
  Add("active");
  const Names uids = {"default/gated",   "default/backing-off", "default/broken",
                      "default/waiting", "default/active",      "default/nobody"};
  queue().Activate(uids);
  for (const char* name : {"backing-off", "broken", "waiting", "active"}) {
    EXPECT_EQ(PlaceOf(name), Place::Active) << name;
  }
  EXPECT_EQ(PlaceOf("gated"), Place::Gated);
  EXPECT_EQ(PlaceOf("nobody"), Place::None);
  EXPECT_EQ(fit.asked, 1) << "only for the node";
}

TEST_F(SchedulingQueueTest, AnActivatedPodInFlightIsTriedAgain) {
  Plugin("Fit", {kNodeAdd}).says = QueueingHint::QueueSkip;
  Add("p");
  Add("q");
  Pop();
  Pop();
  queue().Activate(Names{"default/p"});
  EXPECT_EQ(Fail("p", {"Fit"}), Place::Backoff);
  EXPECT_EQ(Fail("q", {"Fit"}), Place::Unschedulable) << "it was not meant";
}

}  // namespace
}  // namespace berth::queue
