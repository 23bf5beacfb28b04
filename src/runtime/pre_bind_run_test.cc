// SPDX-License-Identifier: Apache-2.0
#include "runtime/pre_bind_run.h"

#include "runtime/profile.h"
#include "support/builders.h"
#include "support/fake_binding_work.h"
#include "support/fake_plugins.h"
#include "support/test_bed.h"

#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

using framework::BindingProgress;
using framework::BindingWork;
using framework::Code;
using framework::ObjectKey;
using framework::Status;
using framework::Wake;
using test::FakeBinding;
using test::Log;
using Reason = Wake::Reason;
using Reasons = std::vector<Reason>;

const ObjectKey kClaim{"PersistentVolumeClaim", "default", "claim"};
const ObjectKey kVolume{"PersistentVolume", "", "volume"};
const Timestamp kStart{};

// Three plugins, A, B and C. Each finishes at once unless a test has it wait.
class PreBindRunTest : public testing::Test {
 protected:
  PreBindRunTest() {
    const framework::Registry registry({test::Fake("A", a_), test::Fake("B", b_), test::Fake("C", c_)});
    bed_.AddProfile(test::PlanOf(registry), registry);
    pod_ = test::MakePod("p").Info(bed_.names);
  }

  PreBindRun::Outcome Start() {
    static_cast<void>(bed_.profile().binding().RunPreBindPreFlight(state_, *pod_, "n", plan_));
    log_.clear();
    return run_.Start(bed_.profile().plugins(), state_, *pod_, "n", plan_, work_);
  }
  // Lets a plugin ask for a patch when it is first called, and finish when that is answered.
  static void Patches(FakeBinding& plugin) {
    plugin.run_pre_bind = [](const Wake& wake, BindingWork& work) {
      if (wake.reason == Reason::Start) {
        work.Patch({});
        return BindingProgress::Wait();
      }
      if (!wake.answer) return BindingProgress::Done(Status::FromError(wake.answer.error()));
      return BindingProgress::Done(Status::Success());
    };
  }
  // Lets a plugin wait as `progress` says, noting why it is called.
  static void Waits(FakeBinding& plugin, Reasons& reasons, const BindingProgress& progress) {
    plugin.run_pre_bind = [&reasons, progress](const Wake& wake, BindingWork&) {
      reasons.push_back(wake.reason);
      return progress;
    };
  }
  static BindingProgress WaitFor(std::vector<ObjectKey> objects, std::optional<Timestamp> at = {}) {
    BindingProgress progress = BindingProgress::Wait();
    progress.wake_on = std::move(objects);
    progress.wake_at = at;
    return progress;
  }

  Log log_;
  std::shared_ptr<FakeBinding> a_ = std::make_shared<FakeBinding>("A", log_);
  std::shared_ptr<FakeBinding> b_ = std::make_shared<FakeBinding>("B", log_);
  std::shared_ptr<FakeBinding> c_ = std::make_shared<FakeBinding>("C", log_);
  test::TestBed bed_;
  framework::PodInfoPtr pod_;
  framework::CycleState state_;
  PreBindPlan plan_;
  test::FakeBindingWork work_;
  PreBindRun run_;
};

TEST_F(PreBindRunTest, PluginsThatNeedNotWaitAreDoneAtOnce) {
  const PreBindRun::Outcome outcome = Start();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->ok());
  EXPECT_EQ(log_, (Log{"PreBind A", "PreBind B", "PreBind C"}));
  EXPECT_FALSE(run_.is_running());
}

TEST_F(PreBindRunTest, PluginsWithoutWorkAreNotCalled) {
  a_->pre_flight = c_->pre_flight = Status::Skip();
  EXPECT_TRUE(Start()->ok());
  EXPECT_EQ(log_, (Log{"PreBind B"}));
}

TEST_F(PreBindRunTest, APluginThatRunsAloneHoldsTheNextBack) {
  Patches(*a_);
  EXPECT_FALSE(Start().has_value());
  EXPECT_EQ(log_, (Log{"PreBind A"}));
  EXPECT_TRUE(run_.Answer(1, std::string("7"))->ok());
  EXPECT_EQ(log_, (Log{"PreBind A", "PreBind A", "PreBind B", "PreBind C"}));
}

TEST_F(PreBindRunTest, NeighboursThatAllowItRunSideBySide) {
  a_->pre_bind_parallel = b_->pre_bind_parallel = true;
  Patches(*a_);
  Patches(*b_);
  EXPECT_FALSE(Start().has_value());
  EXPECT_EQ(log_, (Log{"PreBind A", "PreBind B"}));
  log_.clear();
  EXPECT_FALSE(run_.Answer(2, std::string("8")).has_value());
  EXPECT_EQ(log_, (Log{"PreBind B"})) << "the ticket is B's";
  EXPECT_TRUE(run_.Answer(1, std::string("7"))->ok());
  EXPECT_EQ(log_, (Log{"PreBind B", "PreBind A", "PreBind C"}));
}

TEST_F(PreBindRunTest, ASkippedPluginThatRunsAloneSplitsGroups) {
  a_->pre_bind_parallel = c_->pre_bind_parallel = true;
  b_->pre_flight = Status::Skip();
  Patches(*a_);
  Patches(*c_);
  EXPECT_FALSE(Start().has_value());
  EXPECT_EQ(log_, (Log{"PreBind A"}));
}

TEST_F(PreBindRunTest, ASkippedPluginThatAllowsNeighboursDoesNot) {
  a_->pre_bind_parallel = b_->pre_bind_parallel = c_->pre_bind_parallel = true;
  b_->pre_flight = Status::Skip();
  Patches(*a_);
  Patches(*c_);
  EXPECT_FALSE(Start().has_value());
  EXPECT_EQ(log_, (Log{"PreBind A", "PreBind C"}));
}

TEST_F(PreBindRunTest, ErrorsNameTheStepAndThePlugin) {
  Patches(*b_);
  EXPECT_FALSE(Start().has_value());
  const PreBindRun::Outcome outcome = run_.Answer(1, Error{ErrorCode::Conflict, "changed"});
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->code(), Code::Error);
  EXPECT_EQ(outcome->Message(), "running PreBind plugin \"B\": changed");
  EXPECT_EQ(outcome->plugin(), "B");
}

TEST_F(PreBindRunTest, ARejectionStaysOne) {
  b_->pre_bind = Status::Unschedulable("gone");
  const PreBindRun::Outcome outcome = Start();
  EXPECT_EQ(outcome->code(), Code::Unschedulable);
  EXPECT_EQ(outcome->Message(), "gone");
  EXPECT_EQ(outcome->plugin(), "B");
  EXPECT_EQ(log_, (Log{"PreBind A", "PreBind B"}));
}

TEST_F(PreBindRunTest, AfterAFailureNobodyIsCalledAgain) {
  a_->pre_bind_parallel = b_->pre_bind_parallel = true;
  Patches(*a_);
  Patches(*b_);
  EXPECT_FALSE(Start().has_value());
  EXPECT_FALSE(run_.Answer(1, Error{ErrorCode::Conflict, "changed"})->ok());
  log_.clear();
  EXPECT_FALSE(run_.Answer(2, std::string("8")).has_value());
  EXPECT_FALSE(run_.Changed(kClaim).has_value());
  EXPECT_FALSE(run_.Deadline(Timestamp::max()).has_value());
  EXPECT_TRUE(log_.empty());
}

TEST_F(PreBindRunTest, AFailureKeepsTheRestOfItsGroupFromStarting) {
  a_->pre_bind_parallel = b_->pre_bind_parallel = true;
  a_->pre_bind = Status::FromError("broken");
  EXPECT_EQ(Start()->Message(), "running PreBind plugin \"A\": broken");
  EXPECT_EQ(log_, (Log{"PreBind A"}));
}

TEST_F(PreBindRunTest, AChangeCallsThoseThatWaitForTheObject) {
  a_->pre_bind_parallel = b_->pre_bind_parallel = true;
  Reasons a;
  Reasons b;
  Waits(*a_, a, WaitFor({kClaim, kVolume}));
  Waits(*b_, b, WaitFor({kVolume}));
  EXPECT_FALSE(Start().has_value());
  EXPECT_EQ(std::vector(run_.wake_on().begin(), run_.wake_on().end()), (std::vector{kClaim, kVolume, kVolume}));
  EXPECT_FALSE(run_.Changed(kClaim).has_value());
  EXPECT_EQ(a, (Reasons{Reason::Start, Reason::Change}));
  EXPECT_EQ(b, (Reasons{Reason::Start}));
  EXPECT_FALSE(run_.Changed(kVolume).has_value());
  EXPECT_EQ(a, (Reasons{Reason::Start, Reason::Change, Reason::Change}));
  EXPECT_EQ(b, (Reasons{Reason::Start, Reason::Change}));
  EXPECT_FALSE(run_.Changed({"PersistentVolume", "", "another"}).has_value());
  EXPECT_EQ(a.size() + b.size(), 5);
}

TEST_F(PreBindRunTest, ADeadlineCallsThoseWhoseTimeHasCome) {
  a_->pre_bind_parallel = b_->pre_bind_parallel = true;
  Reasons a;
  Reasons b;
  Waits(*a_, a, WaitFor({}, kStart + std::chrono::seconds(2)));
  Waits(*b_, b, WaitFor({}, kStart + std::chrono::seconds(1)));
  EXPECT_FALSE(Start().has_value());
  EXPECT_EQ(run_.wake_at(), kStart + std::chrono::seconds(1));
  EXPECT_FALSE(run_.Deadline(kStart).has_value());
  EXPECT_EQ(b, (Reasons{Reason::Start}));
  EXPECT_FALSE(run_.Deadline(kStart + std::chrono::seconds(1)).has_value());
  EXPECT_EQ(a, (Reasons{Reason::Start}));
  EXPECT_EQ(b, (Reasons{Reason::Start, Reason::Deadline}));
}

TEST_F(PreBindRunTest, WhatAPluginWaitsForIsWhatItLastSaid) {
  c_->run_pre_bind = [](const Wake& wake, BindingWork&) {
    return wake.reason == Reason::Start ? WaitFor({kClaim}) : WaitFor({}, kStart + std::chrono::seconds(5));
  };
  EXPECT_FALSE(Start().has_value());
  EXPECT_FALSE(run_.wake_at().has_value());
  EXPECT_FALSE(run_.Changed(kClaim).has_value());
  EXPECT_TRUE(run_.wake_on().empty());
  EXPECT_EQ(run_.wake_at(), kStart + std::chrono::seconds(5));
}

TEST_F(PreBindRunTest, FinishedPluginsWaitForNothing) {
  a_->pre_bind_parallel = b_->pre_bind_parallel = true;
  a_->run_pre_bind = [](const Wake& wake, BindingWork&) {
    return wake.reason == Reason::Start ? WaitFor({kClaim}, kStart) : BindingProgress::Done(Status::Success());
  };
  Patches(*b_);
  EXPECT_FALSE(Start().has_value());
  EXPECT_FALSE(run_.Changed(kClaim).has_value());
  EXPECT_TRUE(run_.wake_on().empty());
  EXPECT_FALSE(run_.wake_at().has_value());
  log_.clear();
  EXPECT_FALSE(run_.Changed(kClaim).has_value());
  EXPECT_FALSE(run_.Deadline(kStart).has_value());
  EXPECT_TRUE(log_.empty());
}

TEST_F(PreBindRunTest, AnswersToNobodyAreDropped) {
  // It does not wait for its own patch.
  a_->run_pre_bind = [](const Wake&, BindingWork& work) {
    work.Patch({});
    return BindingProgress::Done(Status::Success());
  };
  Patches(*b_);
  EXPECT_FALSE(Start().has_value());
  log_.clear();
  EXPECT_FALSE(run_.Answer(1, std::string("7")).has_value()) << "A has finished";
  EXPECT_FALSE(run_.Answer(99, std::string("7")).has_value()) << "nobody asked for it";
  EXPECT_TRUE(log_.empty());
  EXPECT_TRUE(run_.Answer(2, std::string("7"))->ok());
}

TEST_F(PreBindRunTest, AnAnswerIsToldOnce) {
  Reasons reasons;
  b_->run_pre_bind = [&](const Wake& wake, BindingWork& work) {
    reasons.push_back(wake.reason);
    if (wake.reason == Reason::Start) work.RunElsewhere([](const std::stop_token&) { return Status::Success(); });
    return WaitFor({kClaim});
  };
  EXPECT_FALSE(Start().has_value());
  EXPECT_FALSE(run_.Answer(1, std::string()).has_value());
  EXPECT_FALSE(run_.Answer(1, std::string()).has_value());
  EXPECT_EQ(reasons, (Reasons{Reason::Start, Reason::Answer}));
}

TEST_F(PreBindRunTest, WaitingForNothingIsAFailure) {
  b_->run_pre_bind = [](const Wake&, BindingWork&) { return BindingProgress::Wait(); };
  EXPECT_EQ(Start()->Message(), "running PreBind plugin \"B\": PreBind asked to wait, but named nothing to wait for");
}

TEST_F(PreBindRunTest, ARunThatIsResetIsOverAndTheNextIsNotDisturbed) {
  Patches(*a_);
  EXPECT_FALSE(Start().has_value());
  run_.Reset();
  EXPECT_FALSE(run_.is_running());
  EXPECT_FALSE(run_.Answer(1, std::string("7")).has_value());
  EXPECT_FALSE(Start().has_value());
  log_.clear();
  EXPECT_FALSE(run_.Answer(1, std::string("7")).has_value()) << "an answer to the run before";
  EXPECT_TRUE(log_.empty());
  EXPECT_TRUE(run_.Answer(2, std::string("8"))->ok());
}

}  // namespace
}  // namespace berth::runtime
