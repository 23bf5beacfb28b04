// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problems.h"

#include "log/output.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/leadership.h"
#include "support/builders.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::scheduler {
namespace {

using home::FeedProblem;
using home::Outcome;
using test::MakeNode;
using test::MakePod;

class ProblemsTest : public testing::Test {
 protected:
  int64_t Lines() const {
    const std::string said = stream_.str();
    return std::count(said.begin(), said.end(), '\n');
  }
  static Commands::Ending Patch(const std::string& pod, Outcome outcome, const std::string& error) {
    return {1, home::PatchPodStatus{MakePod(pod).Build(), {}, {}}, outcome, "", error};
  }

  std::ostringstream stream_;
  ManualClock clock_;
  log::Output output_{stream_, clock_, {}};
  log::Logger log_{output_, "test"};
  metrics::SchedulerMetrics metrics_;
  Problems problems_{log_, &metrics_};
};

TEST_F(ProblemsTest, AnObjectThatCannotBeReadIsLoggedOnceUntilItCan) {
  const FeedProblem unreadable{FeedProblem::Kind::Unreadable, "Pod default/p", "no spec"};
  problems_.Take(unreadable);
  problems_.Take(unreadable);
  EXPECT_EQ(Lines(), 1);
  EXPECT_EQ(problems_.count(ProblemKind::UnreadableObject), 2U);
  ASSERT_EQ(problems_.Known().size(), 1U);
  EXPECT_EQ(problems_.Known().front().kind, ProblemKind::UnreadableObject);
  EXPECT_EQ(problems_.Known().front().text, R"(Object cannot be read object="Pod default/p" err="no spec")");
  EXPECT_EQ(problems_.Known().front().count, 2U);
  problems_.Take(FeedProblem{FeedProblem::Kind::Readable, "Pod default/p", ""});
  EXPECT_TRUE(problems_.Known().empty());
  problems_.Take(unreadable);
  EXPECT_EQ(Lines(), 2) << "it is news again";
}

TEST_F(ProblemsTest, AnInterruptionIsLoggedOnceUntilFeedsWorkAgain) {
  problems_.Take(FeedProblem{FeedProblem::Kind::Interrupted, "", "timeout"});
  problems_.Take(FeedProblem{FeedProblem::Kind::Interrupted, "", "no route"});
  EXPECT_EQ(Lines(), 1);
  problems_.Take(FeedProblem{FeedProblem::Kind::Recovered, "", ""});
  EXPECT_TRUE(problems_.Known().empty());
  EXPECT_EQ(problems_.count(ProblemKind::FeedInterrupted), 2U);
}

TEST_F(ProblemsTest, ARightThatIsMissingIsOneProblemHoweverManyPodsMeetIt) {
  for (const std::string pod : {"web-1", "web-2", "web-3"}) {
    problems_.Take(Patch(pod, Outcome::Refused, "pods \"" + pod + "\" is forbidden"));
  }
  problems_.Take(Patch("web-4", Outcome::Refused, "status is invalid"));
  EXPECT_EQ(Lines(), 2);
  EXPECT_EQ(problems_.count(ProblemKind::CommandRefused), 4U);
  const std::string said = stream_.str();
  EXPECT_NE(said.find(R"("Command was refused" command="patch the status of" object="Pod default/web-1")"),
            std::string::npos)
      << said;
}

TEST_F(ProblemsTest, EventsThatMayNotBeWrittenAreOneProblemToo) {
  const auto event = [&](const std::string& pod, const std::string& why) {
    home::EventNote note;
    note.about = MakePod(pod).Build();
    problems_.Take({1, note, Outcome::Refused, "", "events.events.k8s.io \"" + pod + why});
  };
  event("web-1", ".18b3d491b4320000\" is forbidden");
  event("web-2", ".18b3d491b4320001\" is forbidden");
  EXPECT_EQ(Lines(), 1);
  event("web-2",
        ".18b3d491b4320002\" is forbidden: unable to create new content in namespace shop because it is being "
        "terminated");
  EXPECT_EQ(problems_.count(ProblemKind::CommandRefused), 2U) << "a namespace that goes is no problem";
}

TEST_F(ProblemsTest, WhatAnotherDecidedIsNoProblem) {
  for (const Outcome outcome : {Outcome::Done, Outcome::Conflict, Outcome::Gone, Outcome::Fenced}) {
    problems_.Take(Patch("p", outcome, "x"));
  }
  problems_.Take({1, home::BindPod{MakePod("p").Build(), MakeNode("n").Build()}, Outcome::Unknown, "", "lost"});
  EXPECT_EQ(Lines(), 0);
  problems_.Take(Patch("p", Outcome::NotDone, "unreachable"));
  EXPECT_EQ(problems_.count(ProblemKind::CommandGivenUp), 1U);
}

TEST_F(ProblemsTest, EveryProblemIsCountedInTheMetrics) {
  problems_.Take(Patch("p", Outcome::NotDone, "unreachable"));
  problems_.Take(Patch("p", Outcome::NotDone, "unreachable"));
  EXPECT_NE(metrics_.Expose().find("berth_problems_total{problem=\"command_given_up\"} 2"), std::string::npos);
}

// Answers as the test says.
struct ScriptedLeases final : home::Leases {
  Result<store::Lease> Acquire(std::string_view, std::string_view, Duration) override { return answer; }
  Result<store::Lease> Renew(const store::Lease&, Duration) override { return answer; }
  Result<void> Release(const store::Lease&) override { return {}; }
  Result<store::Lease> answer = store::Lease{};
};

TEST_F(ProblemsTest, ALeaseThatCannotBeHadIsAProblemUnlessAnotherHasIt) {
  ScriptedLeases leases;
  const LeadershipOptions options;
  Leadership leadership(leases, clock_, options, log_, &problems_);
  const auto ask = [&](Result<store::Lease> answer) {
    leases.answer = std::move(answer);
    clock_.Advance(options.retry_period);
    leadership.Pump();
  };
  ask(Error{ErrorCode::Conflict, "held by b"});
  EXPECT_EQ(problems_.count(ProblemKind::Lease), 0U);
  ask(Error{ErrorCode::Unavailable, "no route"});
  ask(Error{ErrorCode::Unavailable, "no route"});
  EXPECT_EQ(problems_.count(ProblemKind::Lease), 2U);
  EXPECT_EQ(Lines(), 2) << "who holds it, and what went wrong, once each";
  EXPECT_EQ(leadership.last_error(), "no route");
  ask(store::Lease{"kube-scheduler", "a", 1, {}});
  EXPECT_TRUE(problems_.Known().empty());
  EXPECT_TRUE(leadership.leads());
  EXPECT_NE(stream_.str().find("Successfully acquired lease"), std::string::npos);
  ask(Error{ErrorCode::Unavailable, "no route"});
  EXPECT_NE(stream_.str().find("Lease cannot be renewed"), std::string::npos);
  EXPECT_TRUE(leadership.leads()) << "until the deadline";
  ask(store::Lease{"kube-scheduler", "a", 1, {}});
  EXPECT_NE(stream_.str().find("Lease is renewed again"), std::string::npos);
  EXPECT_EQ(leadership.last_error(), "");
}

}  // namespace
}  // namespace berth::scheduler
