// SPDX-License-Identifier: Apache-2.0
#include "runtime/binding_steps.h"

#include "runtime/bind_run.h"
#include "runtime/profile.h"
#include "support/builders.h"
#include "support/fake_binding_work.h"
#include "support/fake_plugins.h"
#include "support/test_bed.h"

#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

using framework::Code;
using framework::Status;
using test::FakeBinding;
using test::Log;

class BindingStepsTest : public testing::Test {
 protected:
  BindingStepsTest() {
    const framework::Registry registry({test::Fake("A", a_), test::Fake("B", b_), test::Fake("C", c_)});
    bed_.AddProfile(test::PlanOf(registry), registry);
    pod_ = test::MakePod("p").Info(bed_.names);
  }
  Status Reserve() { return bed_.profile().binding().RunReserve(state_, *pod_, "n"); }
  Status Permit() { return bed_.profile().binding().RunPermit(state_, *pod_, "n", waits_); }
  Status PreFlight() { return bed_.profile().binding().RunPreBindPreFlight(state_, *pod_, "n", plan_); }
  Status Bind() { return bind_.Start(bed_.profile().plugins(), state_, *pod_, "n", work_).value(); }

  Log log_;
  std::shared_ptr<FakeBinding> a_ = std::make_shared<FakeBinding>("A", log_);
  std::shared_ptr<FakeBinding> b_ = std::make_shared<FakeBinding>("B", log_);
  std::shared_ptr<FakeBinding> c_ = std::make_shared<FakeBinding>("C", log_);
  test::TestBed bed_;
  framework::PodInfoPtr pod_;
  framework::CycleState state_;
  test::FakeBindingWork work_;
  BindRun bind_;
  PreBindPlan plan_;
  std::map<std::string, Duration> waits_;
};

TEST_F(BindingStepsTest, BindGoesOnWhenItsWorkIsAnswered) {
  a_->bind = Status::Skip();
  b_->run_bind = [](const framework::Wake& wake, framework::BindWork& work) {
    if (wake.reason == framework::Wake::Reason::Start) {
      work.Bind();
      return framework::BindingProgress::Wait();
    }
    return framework::BindingProgress::Done(wake.answer ? Status() : Status::FromError(wake.answer.error()));
  };
  EXPECT_FALSE(bind_.Start(bed_.profile().plugins(), state_, *pod_, "n", work_).has_value());
  EXPECT_EQ(work_.bindings, 1U);
  const auto outcome = bind_.Answer(1, Error{ErrorCode::Conflict, "taken"});
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->Message(), "running Bind plugin \"B\": taken");
  EXPECT_FALSE(bind_.Answer(1, std::string()).has_value()) << "it is over";
}

TEST_F(BindingStepsTest, BindWaitsForTimesAndObjects) {
  const framework::ObjectKey lock{"Lock.example.com", "", "l"};
  a_->run_bind = [&](const framework::Wake& wake, framework::BindWork&) {
    framework::BindingProgress progress = framework::BindingProgress::Wait();
    if (wake.reason == framework::Wake::Reason::Start) progress.wake_on.push_back(lock);
    if (wake.reason == framework::Wake::Reason::Change) progress.wake_at = test::AtSecond(7);
    if (wake.reason == framework::Wake::Reason::Deadline) return framework::BindingProgress::Done(Status::Success());
    return progress;
  };
  EXPECT_FALSE(bind_.Start(bed_.profile().plugins(), state_, *pod_, "n", work_).has_value());
  EXPECT_FALSE(bind_.Deadline(test::AtSecond(100)).has_value());
  EXPECT_FALSE(bind_.Changed({"Lock.example.com", "", "other"}).has_value());
  EXPECT_EQ(log_, (Log{"Bind A"}));
  EXPECT_FALSE(bind_.Changed(lock).has_value());
  EXPECT_EQ(bind_.wake_at(), test::AtSecond(7));
  EXPECT_FALSE(bind_.Deadline(test::AtSecond(6)).has_value());
  const auto outcome = bind_.Deadline(test::AtSecond(7));
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->ok());
}

TEST_F(BindingStepsTest, ABindThatWaitsForNothingFails) {
  a_->run_bind = [](const framework::Wake&, framework::BindWork&) { return framework::BindingProgress::Wait(); };
  EXPECT_EQ(Bind().Message(), "running Bind plugin \"A\": Bind asked to wait, but named nothing to wait for");
}

TEST_F(BindingStepsTest, AnAnswerToAPluginThatSkippedIsDropped) {
  a_->run_bind = [](const framework::Wake&, framework::BindWork& work) {
    work.Patch({});
    return framework::BindingProgress::Done(Status::Skip());
  };
  b_->run_bind = [](const framework::Wake& wake, framework::BindWork& work) {
    if (wake.reason != framework::Wake::Reason::Start) return framework::BindingProgress::Done(Status::Success());
    work.Bind();
    return framework::BindingProgress::Wait();
  };
  EXPECT_FALSE(bind_.Start(bed_.profile().plugins(), state_, *pod_, "n", work_).has_value());
  EXPECT_FALSE(bind_.Answer(1, std::string()).has_value());
  EXPECT_TRUE(bind_.Answer(2, std::string()).has_value());
}

TEST_F(BindingStepsTest, ReserveStopsAtTheFirstFailure) {
  b_->reserve = Status::Unschedulable("taken");
  const Status status = Reserve();
  EXPECT_EQ(status.code(), Code::Unschedulable);
  EXPECT_EQ(status.plugin(), "B");
  EXPECT_EQ(status.Message(), "taken");
  EXPECT_EQ(log_, (Log{"Reserve A", "Reserve B"}));
}

TEST_F(BindingStepsTest, ReserveErrorsNameTheStep) {
  a_->reserve = Status::FromError("broken");
  EXPECT_EQ(Reserve().Message(), "running Reserve plugin \"A\": broken");
  a_->reserve = Status::Skip();
  EXPECT_EQ(Reserve().code(), Code::Error);
}

TEST_F(BindingStepsTest, UnreserveRunsForAllInReverse) {
  a_->reserve = Status::Unschedulable("taken");
  EXPECT_FALSE(Reserve().ok());
  log_.clear();
  bed_.profile().binding().RunUnreserve(state_, *pod_, "n");
  EXPECT_EQ(log_, (Log{"Unreserve C", "Unreserve B", "Unreserve A"}));
}

TEST_F(BindingStepsTest, PermitCollectsWaits) {
  b_->permit = {Status::Wait(), std::chrono::seconds(10)};
  c_->permit = {Status::Wait(), std::chrono::hours(1)};
  const Status status = Permit();
  EXPECT_EQ(status.code(), Code::Wait);
  EXPECT_EQ(status.Message(), "one or more plugins asked to wait and no plugin rejected pod \"p\"");
  EXPECT_EQ(waits_,
            (std::map<std::string, Duration>{{"B", std::chrono::seconds(10)}, {"C", std::chrono::minutes(15)}}));
}

TEST_F(BindingStepsTest, ARejectionBeatsWaiting) {
  a_->permit = {Status::Wait(), std::chrono::seconds(10)};
  b_->permit = {Status::Unschedulable("no"), {}};
  const Status status = Permit();
  EXPECT_EQ(status.code(), Code::Unschedulable);
  EXPECT_EQ(status.plugin(), "B");
  EXPECT_EQ(log_, (Log{"Permit A", "Permit B"}));
}

TEST_F(BindingStepsTest, PermitErrorsNameTheStep) {
  a_->permit = {Status::FromError("broken"), {}};
  const Status status = Permit();
  EXPECT_EQ(status.Message(), "running Permit plugin \"A\": broken");
  EXPECT_EQ(status.plugin(), "A");
  a_->permit = {};
  EXPECT_TRUE(Permit().ok());
}

TEST_F(BindingStepsTest, PreFlightTellsWhoHasWorkToDo) {
  a_->pre_flight = Status::Skip();
  c_->pre_flight = Status::Skip();
  EXPECT_TRUE(PreFlight().ok()) << "B has work to do";
  EXPECT_EQ(plan_.skipped, (SkipSet{true, false, true}));
  b_->pre_flight = Status::Skip();
  EXPECT_TRUE(PreFlight().is_skip()) << "nobody has";
}

TEST_F(BindingStepsTest, PreFlightKnowsThreeAnswers) {
  a_->pre_flight = Status::FromError("broken");
  EXPECT_EQ(PreFlight().Message(), "running PreBindPreFlight \"A\": broken");
  a_->pre_flight = Status::Unschedulable("no");
  const Status status = PreFlight();
  EXPECT_EQ(status.code(), Code::Error);
  EXPECT_EQ(status.Message(),
            "PreBindPreFlight A returned \"Unschedulable\", which is unsupported. It is supposed to return Success, "
            "Skip, or Error status");
}

TEST_F(BindingStepsTest, TheFirstThatDoesNotSkipBinds) {
  a_->bind = Status::Skip();
  EXPECT_TRUE(Bind().ok());
  EXPECT_EQ(log_, (Log{"Bind A", "Bind B"}));
}

TEST_F(BindingStepsTest, SomebodyMustBind) {
  a_->bind = b_->bind = c_->bind = Status::Skip();
  EXPECT_EQ(Bind().Message(), "every Bind plugin skipped the pod");
}

TEST_F(BindingStepsTest, AFailingBindIsNotTriedElsewhere) {
  a_->bind = Status::FromError("conflict");
  EXPECT_EQ(Bind().Message(), "running Bind plugin \"A\": conflict");
  EXPECT_EQ(log_, (Log{"Bind A"}));
  a_->bind = Status::Unschedulable("no");
  EXPECT_EQ(Bind().plugin(), "A");
}

TEST_F(BindingStepsTest, EveryoneHearsOfTheBinding) {
  bed_.profile().binding().RunPostBind(state_, *pod_, "n");
  EXPECT_EQ(log_, (Log{"PostBind A", "PostBind B", "PostBind C"}));
}

}  // namespace
}  // namespace berth::runtime
