// SPDX-License-Identifier: Apache-2.0
#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

class PreEnqueueGatesTest : public testing::Test, protected QueueTestBed {};

TEST_F(PreEnqueueGatesTest, AGatedPodIsNotTriedAndNotNominated) {
  GatingPlugin("Gates", {}).gate.closed_to = {"p"};
  Add(MakePod("p").Nominated("n0"));
  EXPECT_EQ(PlaceOf("p"), Place::Gated);
  EXPECT_EQ(queue().sizes().gated, 1U);
  EXPECT_EQ(queue().sizes().unschedulable, 0U);
  EXPECT_EQ(Queued("p").gating_plugin, 0);
  EXPECT_TRUE(Queued("p").rejectors.test(0));
  EXPECT_EQ(Queued("p").first_attempt, std::nullopt);
  EXPECT_EQ(Pop(), "");
  EXPECT_TRUE(NominatedOn("n0").empty());
}

TEST_F(PreEnqueueGatesTest, ThePluginThatGatesIsAskedFirst) {
  const ClusterEvent labels{EventResource::Pod, framework::kUpdatePodLabel};
  FakePlugin& first = GatingPlugin("First", {labels});
  FakePlugin& second = GatingPlugin("Second", {labels});
  second.gate.closed_to = {"p"};
  Add("p");
  EXPECT_EQ(first.gate.asked, 1);
  EXPECT_EQ(second.gate.asked, 1);
  Update(MakePod("p"), MakePod("p").Label("a", "1"));
  EXPECT_EQ(PlaceOf("p"), Place::Gated);
  EXPECT_EQ(first.gate.asked, 1) << "no need to";
  EXPECT_EQ(second.gate.asked, 2);

  second.gate.closed_to.clear();
  first.gate.closed_to = {"p"};
  Update(MakePod("p").Label("a", "1"), MakePod("p").Label("a", "2"));
  EXPECT_EQ(Queued("p").gating_plugin, 0) << "another gates it now";
  EXPECT_EQ(Queued("p").rejectors.count(), 2U);
  first.gate.closed_to.clear();
  clock_.Advance(3s);
  Update(MakePod("p").Label("a", "2"), MakePod("p").Label("a", "3"));
  EXPECT_EQ(PlaceOf("p"), Place::Active);
  EXPECT_EQ(Queued("p").gating_plugin, -1);
  EXPECT_EQ(Queued("p").queued, AtSecond(0));
  EXPECT_EQ(Queued("p").first_attempt, AtSecond(3)) << "its first attempt begins when the gate opens";
}

TEST_F(PreEnqueueGatesTest, AGatedPodHearsOnlyWhatItsGateRegisteredFor) {
  FakePlugin& gates = GatingPlugin("Gates", {kPodDelete});
  FakePlugin& fit = Plugin("Fit", {kNodeAdd, kPodDelete});
  AddFailed(MakePod("p"), {"Fit"});
  gates.gate.closed_to = {"p"};
  Wake(kNodeAdd);
  ASSERT_EQ(PlaceOf("p"), Place::Gated);
  EXPECT_EQ(fit.asked, 1);
  gates.gate.closed_to.clear();
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Gated);
  EXPECT_EQ(fit.asked, 1);
  gates.says = QueueingHint::QueueSkip;
  fit.says = QueueingHint::QueueSkip;
  Wake(kPodDelete);
  EXPECT_EQ(PlaceOf("p"), Place::Gated);
  EXPECT_EQ(fit.asked, 2) << "the gate is interested, so all rejectors are asked";
  fit.says = QueueingHint::Queue;
  Wake(kPodDelete);
  EXPECT_EQ(PlaceOf("p"), Place::Backoff);
}

TEST_F(PreEnqueueGatesTest, WildCardsAskTheGatesAgain) {
  FakePlugin& gates = GatingPlugin("Gates", {});
  gates.gate.closed_to = {"p", "q"};
  Add("p");
  Add("q");
  gates.gate.closed_to = {"q"};
  Wake(kWildCard);
  EXPECT_EQ(PlaceOf("p"), Place::Active);
  EXPECT_EQ(PlaceOf("q"), Place::Gated);
}

TEST_F(PreEnqueueGatesTest, GatesCanCloseLater) {
  FakePlugin& gates = GatingPlugin("Gates", {kNodeAdd});
  Plugin("Fit", {kNodeAdd});
  AddFailed(MakePod("woken"), {"Fit"});
  AddFailed(MakePod("activated"), {"Fit"});
  AddFailed(MakePod("backs-off"), {"Fit"});
  queue().Wake({.event = kNodeAdd, .except = "default/activated"});
  gates.gate.closed_to = {"*"};
  queue().Activate(Names{"default/activated", "default/backs-off"});
  EXPECT_EQ(PlaceOf("activated"), Place::Gated);
  EXPECT_EQ(PlaceOf("backs-off"), Place::Active) << "who backs off has passed the gates";
  EXPECT_EQ(PlaceOf("woken"), Place::Backoff);
  EXPECT_EQ(PopAll(), (Names{"backs-off", "woken"}));
  EXPECT_EQ(Fail("woken", {}), Place::Gated) << "even after an error";
  EXPECT_EQ(Fail("backs-off", {"Fit"}), Place::Unschedulable) << "gates are asked once it is to be tried";
}

// A gate that lets so many pods through, as one that minds a quota does.
struct Quota final : framework::PreEnqueuePlugin {
  framework::Status PreEnqueue(const api::Pod& pod) const override {
    asked.push_back(pod.meta.name);
    return framework::Status::Unschedulable("quota exceeded");
  }
  mutable Names asked;
};

TEST_F(PreEnqueueGatesTest, GatesAreAskedInOrderOfArrival) {
  Plugin("A", {kNodeAdd}, 0, /*by_template=*/true);
  Plugin("B", {kNodeAdd});
  Quota quota;
  ProfileAt(0).plugins.push_back({"Quota", &quota, {{kNodeAdd, nullptr}}});
  const Names names = {"z", "b", "y", "a", "x", "c"};
  for (const std::string& name : names) Add(MakePod(name).Label("name", name));
  quota.asked.clear();
  Wake(kNodeAdd);
  EXPECT_EQ(quota.asked, names);
  quota.asked.clear();
  clock_.Advance(1h);
  queue().Tick();
  EXPECT_EQ(quota.asked, names);
}

TEST_F(PreEnqueueGatesTest, UnrelatedEventsAskNobodyAboutVeryManyGatedPods) {
  FakePlugin& gates = GatingPlugin("Gates", {{EventResource::PersistentVolumeClaim, framework::kAdd}});
  FakePlugin& fit = Plugin("Fit", {kNodeAdd});
  gates.gate.closed_to = {"*"};
  const framework::PodInfoPtr like = MakePod("like").Info(names_);
  for (int i = 0; i < 100'000; ++i) {
    api::Pod pod = *like->pod;
    pod.meta.uid = pod.meta.name = std::to_string(i);
    queue().Add(std::make_shared<const framework::PodInfo>(
        framework::PodInfo{std::make_shared<const api::Pod>(std::move(pod)), like->pod_class}));
  }
  EXPECT_EQ(queue().sizes().gated, 100'000U);
  gates.gate.asked = 0;
  for (int i = 0; i < 1'000; ++i) {
    Wake(kNodeAdd);    // others wait for it
    Wake(kPodDelete);  // nobody does
  }
  EXPECT_EQ(gates.asked + fit.asked, 0);
  EXPECT_EQ(gates.gate.asked, 0);
  gates.says = QueueingHint::QueueSkip;
  Wake({EventResource::PersistentVolumeClaim, framework::kAdd});
  EXPECT_EQ(gates.asked, 100'000) << "it does not say that it looks at the template alone";
  EXPECT_EQ(gates.gate.asked, 0);
}

}  // namespace
}  // namespace berth::queue
