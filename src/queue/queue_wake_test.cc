// SPDX-License-Identifier: Apache-2.0
#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

// Which waiting pods an event wakes, and whom it asks.
class QueueWakeTest : public testing::Test, protected QueueTestBed {
 protected:
  // Pods that are alike, as those of one controller do.
  void AddAlikeFailed(int count, const Names& rejectors, const Names& pending = {}) {
    const framework::PodInfoPtr like = MakePod("like").Label("app", "web").Info(names_);
    for (int i = 0; i < count; ++i) {
      api::Pod pod = *like->pod;
      pod.meta.name = "alike-" + std::to_string(i);
      pod.meta.uid = "default/" + pod.meta.name;
      queue().Add(std::make_shared<const framework::PodInfo>(
          framework::PodInfo{std::make_shared<const api::Pod>(std::move(pod)), like->pod_class}));
      Fail(Pop(), rejectors, pending);
    }
  }
};

TEST_F(QueueWakeTest, OnlyRejectorsAreAsked) {
  FakePlugin& fit = Plugin("Fit", {kNodeAdd});
  FakePlugin& ports = Plugin("Ports", {kNodeAdd, kPodDelete});
  AddFailed(MakePod("fit"), {"Fit"});
  AddFailed(MakePod("ports"), {"Ports"});
  AddFailed(MakePod("unknown"), {"Nobody"});
  Wake(kPodDelete);
  EXPECT_EQ(fit.asked, 0);
  EXPECT_EQ(ports.asked, 1);
  EXPECT_EQ(PlaceOf("ports"), Place::Backoff);
  EXPECT_EQ(PlaceOf("fit"), Place::Unschedulable);
  Wake(kNodeAdd);
  EXPECT_EQ(fit.asked, 1);
  EXPECT_EQ(ports.asked, 1) << "its pod has left";
  EXPECT_EQ(PlaceOf("unknown"), Place::Unschedulable);
  Wake(kWildCard);
  EXPECT_EQ(PlaceOf("unknown"), Place::Backoff);
}

TEST_F(QueueWakeTest, PendingPodsSkipTheirPenalty) {
  FakePlugin& waits = Plugin("Waits", {kNodeAdd});
  Plugin("Fit", {kNodeAdd, kPodDelete});
  AddFailed(MakePod("p"), {"Fit"}, {"Waits"});
  waits.says = QueueingHint::QueueSkip;
  Wake(kNodeLabel);
  EXPECT_EQ(PlaceOf("p"), Place::Unschedulable);
  waits.says = QueueingHint::Queue;
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Active);
  AddFailed(MakePod("q").Priority(1), {"Fit"}, {"Waits"});
  Wake(kPodDelete);
  EXPECT_EQ(PlaceOf("q"), Place::Backoff) << "the pending one was not asked";
}

TEST_F(QueueWakeTest, PodsAboveAPriorityCanBeLeftAlone) {
  Plugin("Fit", {kPodDelete});
  for (int priority = 0; priority < 4; ++priority) {
    AddFailed(MakePod("p" + std::to_string(priority)).Priority(priority), {"Fit"});
  }
  Add("flying");
  Pop();
  queue().Wake({.event = kPodDelete, .max_priority = 1, .except = "default/p0"});
  EXPECT_EQ(PlaceOf("p0"), Place::Unschedulable);
  EXPECT_EQ(PlaceOf("p1"), Place::Backoff);
  EXPECT_EQ(PlaceOf("p2"), Place::Unschedulable);
  EXPECT_EQ(PlaceOf("p3"), Place::Unschedulable);
  EXPECT_EQ(Fail("flying", {"Fit"}), Place::Backoff);
}

TEST_F(QueueWakeTest, PodsOfOneTemplateShareOneAnswer) {
  FakePlugin& once = Plugin("Once", {kNodeAdd}, 0, /*by_template=*/true);
  FakePlugin& each = Plugin("Each", {kPodDelete});
  AddAlikeFailed(5, {"Once", "Each"});
  AddFailed(MakePod("other"), {"Once", "Each"});
  once.says = QueueingHint::QueueSkip;
  Wake(kNodeAdd);
  EXPECT_EQ(once.asked, 2) << "two templates";
  queue().Remove("default/alike-0");
  Wake(kNodeAdd);
  EXPECT_EQ(once.asked, 4) << "another pod of the template is asked for";
  each.says = QueueingHint::QueueSkip;
  Wake(kPodDelete);
  EXPECT_EQ(each.asked, 5) << "it may look at anything of a pod";
  once.says = QueueingHint::Queue;
  Wake(kNodeAdd);
  EXPECT_EQ(queue().sizes().unschedulable, 0U);
  EXPECT_EQ(queue().sizes().backoff, 5U);
}

TEST_F(QueueWakeTest, APodThatChangesLeavesItsLikes) {
  FakePlugin& once = Plugin("Once", {kNodeAdd}, 0, /*by_template=*/true);
  once.says = QueueingHint::QueueSkip;
  AddAlikeFailed(3, {"Once"});
  const PodBuilder changed = MakePod("alike-1").Label("app", "other");
  queue().Update(queue().Find("default/alike-1")->pod, Info(changed));
  Wake(kNodeAdd);
  EXPECT_EQ(once.asked, 2);
}

TEST_F(QueueWakeTest, WokenPodsKeepTheirOrderOfArrival) {
  Plugin("Once", {kNodeAdd}, 0, /*by_template=*/true);
  Plugin("Other", {kNodeAdd}, 0, /*by_template=*/true);
  AddFailed(MakePod("a"), {"Other"});
  AddFailed(MakePod("b"), {"Once"});
  AddFailed(MakePod("c"), {"Other", "Once"});
  AddFailed(MakePod("d"), {"Once"});
  clock_.Advance(5s);
  Wake(kNodeAdd);
  EXPECT_EQ(PopAll(), (Names{"a", "b", "c", "d"}));
}

TEST_F(QueueWakeTest, EveryProfileHasItsOwnHints) {
  FakePlugin& first = Plugin("Fit", {kNodeAdd}, 0);
  FakePlugin& second = Plugin("Fit", {kPodDelete}, 1);
  auto other = MakePod("other");
  other.spec().scheduler_name = "scheduler-1";
  AddFailed(MakePod("p"), {"Fit"});
  AddFailed(other, {"Fit"});
  Wake(kNodeAdd);
  EXPECT_EQ(first.asked, 1);
  EXPECT_EQ(second.asked, 0);
  EXPECT_EQ(PlaceOf("p"), Place::Backoff);
  EXPECT_EQ(PlaceOf("other"), Place::Unschedulable);
  Wake(kPodDelete);
  EXPECT_EQ(PlaceOf("other"), Place::Backoff);
}

}  // namespace
}  // namespace berth::queue
