// SPDX-License-Identifier: Apache-2.0
#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

// What becomes of a pod that failed, by the events that came while it was in flight.
class QueueReturnTest : public testing::Test, protected QueueTestBed {};

TEST_F(QueueReturnTest, WithoutEventsARejectedPodWaits) {
  Plugin("Fit", {kNodeAdd});
  EXPECT_EQ(AddFailed(MakePod("p"), {"Fit"}), Place::Unschedulable);
  EXPECT_EQ(Queued("p").unschedulable_count, 1U);
  EXPECT_EQ(queue().sizes().unschedulable, 1U);
  EXPECT_EQ(queue().sizes().in_flight, 0U);
  EXPECT_EQ(Pop(), "");
}

TEST_F(QueueReturnTest, HintsWeighTheEventsThatCameMeanwhile) {
  const struct {
    const char* what;
    Names rejectors, pending;
    std::vector<ClusterEvent> events;
    Place expected;
  } cases[] = {
      {"the hint says Queue", {"Queues"}, {}, {kNodeAdd}, Place::Backoff},
      {"the hint says QueueSkip", {"Skips"}, {}, {kNodeAdd}, Place::Unschedulable},
      {"the hint fails", {"Fails"}, {}, {kNodeAdd}, Place::Backoff},
      {"there is no hint", {"Hintless"}, {}, {kNodeAdd}, Place::Backoff},
      {"a pending plugin says Queue", {}, {"Queues"}, {kNodeAdd}, Place::Active},
      {"a pending plugin says QueueSkip", {}, {"Skips"}, {kNodeAdd}, Place::Unschedulable},
      {"a rejector says Queue, a pending one QueueSkip", {"Queues"}, {"Skips"}, {kNodeAdd}, Place::Backoff},
      {"a rejector and a pending one say Queue", {"Hintless"}, {"Queues"}, {kNodeAdd}, Place::Active},
      {"a later event wakes the pending one", {"Queues"}, {"OnDelete"}, {kNodeAdd, kPodDelete}, Place::Active},
      {"an earlier event wakes the pending one", {"Queues"}, {"OnDelete"}, {kPodDelete, kNodeAdd}, Place::Active},
      {"who says Queue did not reject the pod", {"Skips"}, {}, {kNodeAdd, kPodDelete}, Place::Unschedulable},
      {"nobody registered for it", {"Queues"}, {}, {kPodDelete}, Place::Unschedulable},
      {"an unknown rejector waits", {"Unknown"}, {}, {kNodeAdd}, Place::Unschedulable},
      {"a wildcard means everybody", {"Skips"}, {}, {kWildCard}, Place::Backoff},
      {"even who is pending backs off after a wildcard", {}, {"Skips"}, {kWildCard}, Place::Backoff},
      {"nobody rejected it", {}, {}, {}, Place::ErrorBackoff},
      {"nobody rejected it, though something happened", {}, {}, {kNodeAdd}, Place::ErrorBackoff},
  };
  for (const auto& c : cases) {
    Plugin("Queues", {kNodeAdd});
    Plugin("Skips", {kNodeAdd}).says = QueueingHint::QueueSkip;
    Plugin("Fails", {kNodeAdd}).fails = true;
    Plugin("OnDelete", {kPodDelete});
    Plugin("Hintless", {});
    ProfileAt(0).plugins.back().events.push_back({kNodeAdd, nullptr});
    Add("p");
    ASSERT_EQ(Pop(), "p");
    for (const ClusterEvent& event : c.events) Wake(event);
    EXPECT_EQ(Fail("p", c.rejectors, c.pending), c.expected) << c.what;
    EXPECT_EQ(queue().sizes().in_flight_events, 0U);
    Restart();
  }
}

TEST_F(QueueReturnTest, EventsCountFromTheMomentThePodTookOff) {
  FakePlugin& fit = Plugin("Fit", {kNodeAdd, kPodDelete});
  Add("first");
  Add("second");
  Add("third");
  Wake(kNodeAdd);
  EXPECT_EQ(queue().sizes().in_flight_events, 0U) << "nobody is in flight";
  EXPECT_EQ(Pop(), "first");
  Wake(kNodeAdd);
  EXPECT_EQ(Pop(), "second");
  Wake(kPodDelete);
  Wake({EventResource::StorageClass, framework::kAdd});
  EXPECT_EQ(queue().sizes().in_flight_events, 2U) << "nobody waits for storage classes";
  EXPECT_EQ(Pop(), "third");

  EXPECT_EQ(Fail("third", {"Fit"}), Place::Unschedulable);
  EXPECT_EQ(fit.asked, 0) << "nothing has happened since it took off";
  EXPECT_EQ(queue().sizes().in_flight_events, 2U);
  queue().Done("default/first");
  EXPECT_EQ(queue().sizes().in_flight_events, 1U) << "the second took off after the first event";
  EXPECT_EQ(Fail("second", {"Fit"}), Place::Backoff);
  EXPECT_EQ(fit.asked, 1);
  EXPECT_EQ(queue().sizes().in_flight_events, 0U);
}

TEST_F(QueueReturnTest, APodInFlightRemembersItsOwnUpdates) {
  const ClusterEvent labels{EventResource::Pod, framework::kUpdatePodLabel};
  Plugin("Labels", {labels});
  Add("p");
  Add("q");
  Pop();
  Pop();
  Update(MakePod("p"), MakePod("p").Label("new", "label"));
  EXPECT_EQ(PlaceOf("p"), Place::InFlight);
  EXPECT_EQ(queue().sizes().in_flight_events, 1U);
  EXPECT_EQ(Fail("p", {"Labels"}), Place::Backoff);
}

TEST_F(QueueReturnTest, TheObjectsOfAnEventStayUntilItIsWeighed) {
  Names seen;
  ProfileAt(0).plugins.push_back({"Looks",
                                  nullptr,
                                  {{kNodeAdd,
                                    [&](const framework::PodInfo& pod, const api::Object* before,
                                        const api::Object* after) -> Result<QueueingHint> {
                                      EXPECT_EQ(before, nullptr);
                                      seen.push_back(pod->meta.name + " " + api::MetaOf(*after).name);
                                      return QueueingHint::QueueSkip;
                                    }}}});
  Add("p");
  Pop();
  {
    const api::Object node = MakeNode("gone-soon").Build();
    queue().Wake({.event = kNodeAdd, .after = &node});
  }
  Fail("p", {"Looks"});
  EXPECT_EQ(seen, (Names{"p gone-soon"}));
}

TEST_F(QueueReturnTest, AWildCardForOnePodMeansThatPodAlone) {
  Plugin("Skips", {kNodeAdd}).says = QueueingHint::QueueSkip;
  Add("p");
  Add("q");
  Add("r");
  Pop();
  Pop();
  Pop();
  const api::Object q = MakePod("q").Build();
  const api::Object node = MakeNode("n").Build();
  queue().Wake({.event = kWildCard, .after = &node});
  EXPECT_EQ(Fail("r", {"Skips"}), Place::Unschedulable);
  queue().Wake({.event = kWildCard, .after = &q});
  EXPECT_EQ(PlaceOf("r"), Place::Unschedulable);
  EXPECT_EQ(Fail("p", {"Skips"}), Place::Unschedulable);
  EXPECT_EQ(Fail("q", {"Skips"}), Place::Backoff);
}

TEST_F(QueueReturnTest, ErrorsAndRejectionsAreCountedApart) {
  Plugin("Fit", {kNodeAdd});
  Add("p");
  const auto fail = [&](bool error) {
    clock_.Advance(1min);
    queue().Tick();
    Wake(kNodeAdd);
    EXPECT_EQ(Pop(), "p");
    return error ? FailWithError("p") : Fail("p", {"Fit"});
  };
  const struct {
    bool error;
    uint32_t unschedulable, errors;
    Duration penalty;
  } steps[] = {{false, 1, 0, 1s}, {false, 2, 0, 2s}, {true, 2, 1, 1s}, {true, 2, 2, 2s},
               {true, 2, 3, 4s},  {false, 3, 0, 4s}, {true, 3, 1, 1s}, {false, 4, 0, 8s}};
  int attempts = 0;
  for (const auto& step : steps) {
    EXPECT_EQ(fail(step.error), step.error ? Place::ErrorBackoff : Place::Unschedulable);
    EXPECT_EQ(Queued("p").unschedulable_count, step.unschedulable);
    EXPECT_EQ(Queued("p").error_count, step.errors);
    EXPECT_EQ(Queued("p").attempts, ++attempts);
    EXPECT_EQ(Queued("p").queued, clock_.Now());
    EXPECT_EQ(Queued("p").first_attempt, AtSecond(0));
    EXPECT_EQ(Queued("p").backoff_until, clock_.Now() + step.penalty);
  }
}

TEST_F(QueueReturnTest, RejectorsAreThoseOfTheLastAttempt) {
  FakePlugin& fit = Plugin("Fit", {kNodeAdd});
  Plugin("Ports", {kPodDelete});
  AddFailed(MakePod("p"), {"Fit"});
  clock_.Advance(5s);
  Wake(kNodeAdd);
  EXPECT_EQ(Pop(), "p");
  EXPECT_TRUE(Popped("p").rejectors.test(0)) << "kept for who wants to know why it was tried";
  EXPECT_EQ(Fail("p", {"Ports"}, {"Newcomer"}), Place::Unschedulable);
  EXPECT_FALSE(Queued("p").rejectors.test(0));
  EXPECT_TRUE(Queued("p").rejectors.test(1));
  EXPECT_EQ(queue().profile(0).plugins.at(2).name, "Newcomer");
  EXPECT_TRUE(Queued("p").rejectors.test(2));
  EXPECT_TRUE(Queued("p").pending.test(2));
  Wake(kNodeAdd);
  EXPECT_EQ(fit.asked, 1);
  EXPECT_EQ(PlaceOf("p"), Place::Unschedulable);
}

TEST_F(QueueReturnTest, APodThatIsDoneAndStillComesBackBacksOff) {
  Plugin("Fit", {kNodeAdd});
  Add("p");
  Pop();
  queue().Done("default/p");
  EXPECT_EQ(Fail("p", {"Fit"}), Place::Backoff) << "what it missed is not known";
}

TEST_F(QueueReturnTest, APodAddedAgainMeanwhileIsNotDoubled) {
  Plugin("Fit", {kNodeAdd});
  Add("p");
  Pop();
  queue().Done("default/p");
  Add("p");
  EXPECT_EQ(Fail("p", {"Fit"}), Place::Active);
  EXPECT_EQ(PopAll(), (Names{"p"}));
}

TEST_F(QueueReturnTest, APodThatFailsOftenDoesNotBlockNewerOnes) {
  Plugin("Fit", {kNodeAdd});
  Add("old");
  Pop();
  clock_.Advance(1s);
  Add("new");
  clock_.Advance(1s);
  Wake(kNodeAdd);
  Fail("old", {"Fit"});
  clock_.Advance(10s);
  queue().Tick();
  EXPECT_EQ(PopAll(), (Names{"new", "old"}));
}

}  // namespace
}  // namespace berth::queue
