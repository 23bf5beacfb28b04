// SPDX-License-Identifier: Apache-2.0
#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

// SchedulerQueueingHints=false: what a plugin registered for wakes every pod it rejected.
class QueueWithoutHintsTest : public testing::Test, protected QueueTestBed {
 protected:
  QueueWithoutHintsTest() { options_.hints = false; }
};

TEST_F(QueueWithoutHintsTest, NobodyIsAskedWhetherAnEventHelps) {
  FakePlugin& fit = Plugin("Fit", {kNodeAdd});
  FakePlugin& once = Plugin("Once", {kNodeAdd}, 0, /*by_template=*/true);
  fit.says = once.says = QueueingHint::QueueSkip;
  AddFailed(MakePod("p"), {"Fit"});
  AddFailed(MakePod("q"), {"Once"});
  AddFailed(MakePod("r"), {"Nobody"});
  Wake(kPodDelete);
  EXPECT_EQ(PlaceOf("p"), Place::Unschedulable) << "nobody registered for it";
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Backoff);
  EXPECT_EQ(PlaceOf("q"), Place::Backoff);
  EXPECT_EQ(PlaceOf("r"), Place::Unschedulable);
  EXPECT_EQ(fit.asked + once.asked, 0);
}

TEST_F(QueueWithoutHintsTest, WhateverHappensDuringAnAttemptBringsThePodBack) {
  Plugin("Fit", {kNodeAdd});
  Plugin("Ports", {kPodDelete});
  Add("p");
  Pop();
  EXPECT_EQ(Fail("p", {"Fit"}), Place::Unschedulable);
  Add("q");
  Pop();
  Wake(kPodDelete);
  EXPECT_EQ(Fail("q", {"Fit"}), Place::Backoff) << "also what its rejector did not register for";
}

TEST_F(QueueWithoutHintsTest, AnUpdateWakesThePodUnlessItIsOfItsStatusAlone) {
  Plugin("Fit", {kNodeAdd});
  const framework::PodInfoPtr before = MakePod("p").Info(names_);
  queue().Add(before);
  Fail(Pop(), {"Fit"});
  api::Pod pod = *before->pod;
  const auto update = [&] {
    queue().Update(nullptr, std::make_shared<const framework::PodInfo>(
                                framework::PodInfo{std::make_shared<const api::Pod>(pod), before->pod_class}));
  };
  api::PodStatus status;
  status.phase = "Pending";
  pod.status = std::make_shared<const api::PodStatus>(status);
  update();
  EXPECT_EQ(PlaceOf("p"), Place::Unschedulable);
  pod.meta.annotations = MakePod("q").Label("note", "changed").Build()->meta.labels;
  update();
  EXPECT_EQ(PlaceOf("p"), Place::Backoff);
}

}  // namespace
}  // namespace berth::queue
