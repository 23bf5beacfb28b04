// SPDX-License-Identifier: Apache-2.0
#include "scheduler/commands.h"

#include "home/home.h"
#include "metrics/scheduler_metrics.h"
#include "support/builders.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::scheduler {
namespace {

using home::Outcome;
using home::Ticket;
using test::MakeNode;
using test::MakePod;

// A home that keeps what it is given until the test answers.
class PatientHome final : public home::Home, public home::Leases {
 public:
  explicit PatientHome(size_t max_in_flight) : max_in_flight_(max_in_flight) {}

  home::Capabilities capabilities() const override {
    home::Capabilities capabilities;
    capabilities.max_in_flight = max_in_flight_;
    return capabilities;
  }
  home::Leases& leases() override { return *this; }
  void Open(home::HomeListener&, std::vector<std::string>) override {}
  void Start() override {}
  bool Stop() override { return true; }
  void Submit(std::vector<home::Submission>& commands) override {
    std::move(commands.begin(), commands.end(), std::back_inserter(given));
    commands.clear();
  }
  bool PumpFeeds() override { return false; }
  bool PumpCommands() override { return false; }
  std::optional<Timestamp> NextDue() const override { return std::nullopt; }
  store::Revision FeedProgress() const override { return 0; }
  home::FeedStats feed_stats() const override { return {}; }
  std::optional<api::Object> FindTold(const store::Key&) const override { return std::nullopt; }
  std::vector<api::Object> ToldOfKind(std::string_view) const override { return {}; }
  Result<store::Lease> Acquire(std::string_view, std::string_view, Duration) override { return store::Lease{}; }
  Result<store::Lease> Renew(const store::Lease& lease, Duration) override { return lease; }
  Result<void> Release(const store::Lease&) override { return {}; }

  template <typename Kind>
  size_t Count() const {
    return static_cast<size_t>(std::ranges::count_if(
        given, [](const home::Submission& submission) { return std::holds_alternative<Kind>(submission.command); }));
  }

  std::vector<home::Submission> given;

 private:
  size_t max_in_flight_;
};

class CommandsTest : public testing::Test {
 protected:
  explicit CommandsTest(size_t max_in_flight = 1'000, const CommandOptions& options = {})
      : home_(max_in_flight), commands_(home_, clock_, options, nullptr) {}

  api::PodPtr Pod(const std::string& name) { return MakePod(name).Build(); }
  api::NodePtr Node() { return MakeNode("n").Build(); }
  home::PatchPodStatus Condition(const api::PodPtr& pod, const std::string& message) {
    return {pod, home::ConditionPatch{{"PodScheduled", "False", "Unschedulable", message}, 0}, {}};
  }
  // Answers the oldest command that the home has.
  std::optional<Commands::Ending> Answer(Outcome outcome, std::string answer = {}) {
    home::Completion completion;
    completion.ticket = home_.given.front().ticket;
    completion.outcome = outcome;
    completion.answer = std::move(answer);
    home_.given.erase(home_.given.begin());
    return commands_.Settle(completion);
  }

  ManualClock clock_;
  PatientHome home_;
  Commands commands_;
};

TEST_F(CommandsTest, OneCommandAboutAnObjectIsUnderWayAtATime) {
  const api::PodPtr pod = Pod("p");
  commands_.PatchStatus(Condition(pod, "no room"));
  commands_.Send();
  commands_.Bind(pod, Node());
  commands_.Bind(Pod("q"), Node());
  commands_.Send();
  ASSERT_EQ(home_.given.size(), 2U) << "the other pod does not wait";
  EXPECT_EQ(home_.Count<home::BindPod>(), 1U);
  EXPECT_TRUE(Answer(Outcome::Done));
  commands_.Send();
  EXPECT_EQ(home_.Count<home::BindPod>(), 2U);
}

TEST_F(CommandsTest, PatchesThatWaitAreOne) {
  const api::PodPtr pod = Pod("p");
  const Ticket first = commands_.PatchStatus(Condition(pod, "one"));
  home::PatchPodStatus nomination{pod, {}, std::string("n")};
  EXPECT_EQ(commands_.PatchStatus(nomination), first);
  EXPECT_EQ(commands_.PatchStatus(Condition(pod, "two")), first);
  commands_.Send();
  ASSERT_EQ(home_.given.size(), 1U);
  const auto& patch = std::get<home::PatchPodStatus>(home_.given.front().command);
  EXPECT_EQ(patch.condition->condition.message, "two");
  EXPECT_EQ(patch.nominated_node, "n");
  EXPECT_NE(commands_.PatchStatus(Condition(pod, "three")), first) << "what is under way cannot be added to";
}

TEST_F(CommandsTest, ABindingAbsorbsThePatchThatWaits) {
  const api::PodPtr pod = Pod("p");
  commands_.PatchStatus(Condition(pod, "no room"));
  commands_.Bind(pod, Node());
  EXPECT_EQ(commands_.PatchStatus(Condition(pod, "late")), home::kNoTicket) << "the binding says more";
  commands_.Send();
  ASSERT_EQ(home_.given.size(), 1U);
  EXPECT_EQ(home_.Count<home::BindPod>(), 1U);
}

TEST_F(CommandsTest, NoTicketComesAgainAfterABurst) {
  constexpr int kMany = 10'000;
  std::set<Ticket> tickets;
  for (int burst = 0; burst < 3; ++burst) {
    for (int i = 0; i < kMany; ++i) tickets.insert(commands_.Bind(Pod("p" + std::to_string(i)), Node()));
    while (commands_.unanswered() > 0) {
      commands_.Send();
      while (!home_.given.empty()) ASSERT_TRUE(Answer(Outcome::Done));
    }
  }
  EXPECT_EQ(tickets.size(), 3U * kMany);
  EXPECT_FALSE(tickets.contains(home::kNoTicket));
  EXPECT_FALSE(commands_.IsUnderWay(*tickets.begin()));
  EXPECT_FALSE(commands_.Forget(*tickets.begin())) << "ended long ago";
}

TEST_F(CommandsTest, ALineStaysWhenItsFirstPodIsReplacedByANewerState) {
  const api::PodPtr older = Pod("p");
  const Ticket ticket = commands_.PatchStatus(Condition(older, "one"));
  const api::PodPtr newer = std::make_shared<const api::Pod>(*older);
  EXPECT_EQ(commands_.PatchStatus(Condition(newer, "two")), ticket);
  commands_.Send();
  commands_.Bind(newer, Node());
  EXPECT_EQ(home_.given.size(), 1U);
  EXPECT_TRUE(Answer(Outcome::Done));
  commands_.Send();
  EXPECT_EQ(home_.Count<home::BindPod>(), 1U);
}

// SchedulerAsyncAPICalls=false.
class DirectCommands : public CommandsTest {
 protected:
  static CommandOptions Options() {
    CommandOptions options;
    options.absorb_patches = false;
    options.max_patches = 3;
    return options;
  }
  DirectCommands() : CommandsTest(21, Options()) {}
};

TEST_F(DirectCommands, EveryPatchIsACallOfItsOwn) {
  const api::PodPtr pod = Pod("p");
  const Ticket first = commands_.PatchStatus(Condition(pod, "one"));
  EXPECT_NE(commands_.PatchStatus(Condition(pod, "two")), first);
  for (const char* message : {"one", "two"}) {
    commands_.Send();
    ASSERT_EQ(home_.given.size(), 1U) << "one at a time";
    EXPECT_EQ(std::get<home::PatchPodStatus>(home_.given.front().command).condition->condition.message, message);
    EXPECT_TRUE(Answer(Outcome::Done));
  }
}

TEST_F(DirectCommands, ABindingWaitsForThePatchesThatCameBeforeIt) {
  const api::PodPtr pod = Pod("p");
  commands_.PatchStatus(Condition(pod, "no room"));
  commands_.Bind(pod, Node());
  EXPECT_EQ(commands_.PatchStatus(Condition(pod, "late")), home::kNoTicket) << "the binding says more";
  commands_.Send();
  EXPECT_EQ(home_.Count<home::PatchPodStatus>(), 1U);
  EXPECT_EQ(home_.Count<home::BindPod>(), 0U);
  EXPECT_TRUE(Answer(Outcome::Done));
  commands_.Send();
  EXPECT_EQ(home_.Count<home::BindPod>(), 1U);
}

TEST_F(DirectCommands, APatchThatABindingWaitsForIsAsUrgentAsTheBinding) {
  for (int i = 0; i < 100; ++i) commands_.PatchStatus(Condition(Pod("c" + std::to_string(i)), "no room"));
  const api::PodPtr pod = Pod("p");
  commands_.PatchStatus(Condition(pod, "no room"));
  commands_.Bind(pod, Node());
  commands_.Send();
  EXPECT_EQ(std::get<home::PatchPodStatus>(home_.given.front().command).pod, pod);
}

TEST_F(DirectCommands, TooManyPatchesStopTheEngine) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(commands_.full());
    commands_.PatchStatus(Condition(Pod("c" + std::to_string(i)), "no room"));
  }
  EXPECT_TRUE(commands_.full());
  commands_.Send();
  EXPECT_TRUE(Answer(Outcome::Done));
  EXPECT_FALSE(commands_.full());
}

TEST_F(CommandsTest, WhatSurelyFailedIsTriedAgainABoundedNumberOfTimes) {
  const Ticket ticket = commands_.Evict({Pod("p"), {}});
  for (int i = 1; i < CommandOptions().tries; ++i) {
    commands_.Send();
    ASSERT_EQ(home_.given.size(), 1U);
    EXPECT_FALSE(Answer(Outcome::NotDone)) << "nothing has ended yet";
    commands_.Send();
    EXPECT_TRUE(home_.given.empty()) << "there is a pause";
    clock_.Advance(*commands_.NextDue() - clock_.Now());
  }
  commands_.Send();
  const std::optional<Commands::Ending> ending = Answer(Outcome::NotDone);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->ticket, ticket);
  EXPECT_EQ(ending->outcome, Outcome::NotDone) << "giving up is told, too";
  EXPECT_EQ(commands_.given_up(), 1U);
  EXPECT_EQ(commands_.unanswered(), 0U);
}

TEST_F(CommandsTest, ALostAnswerIsToldOfBindingsAndRepeatedOtherwise) {
  commands_.Bind(Pod("p"), Node());
  commands_.Send();
  EXPECT_EQ(Answer(Outcome::Unknown)->outcome, Outcome::Unknown);
  commands_.PatchStatus(Condition(Pod("q"), "no room"));
  commands_.Send();
  EXPECT_FALSE(Answer(Outcome::Unknown));
  EXPECT_TRUE(commands_.NextDue());
}

TEST_F(CommandsTest, AForgottenCommandIsNotSentAndItsEndIsNotTold) {
  const Ticket unsent = commands_.Evict({Pod("p"), {}});
  EXPECT_TRUE(commands_.Forget(unsent));
  commands_.Send();
  EXPECT_TRUE(home_.given.empty());
  const Ticket sent = commands_.Evict({Pod("p"), {}});
  commands_.Send();
  EXPECT_FALSE(commands_.Forget(sent));
  EXPECT_FALSE(Answer(Outcome::NotDone));
  EXPECT_EQ(commands_.unanswered(), 0U) << "it is not tried again";
}

TEST_F(CommandsTest, ALateAnswerToACommandThatIsOverIsDropped) {
  const Ticket ticket = commands_.Evict({Pod("p"), {}});
  commands_.Send();
  EXPECT_TRUE(Answer(Outcome::Done));
  commands_.Evict({Pod("q"), {}});  // in the same slot
  commands_.Send();
  home::Completion late;
  late.ticket = ticket;
  EXPECT_FALSE(commands_.Settle(late));
  EXPECT_EQ(commands_.unanswered(), 1U);
}

TEST_F(CommandsTest, ARefusalBecauseAnotherLeadsIsRemembered) {
  const auto terms = std::make_shared<const home::WriteTerms>();
  commands_.SetTerms(terms);
  commands_.Bind(Pod("p"), Node());
  commands_.Send();
  EXPECT_EQ(home_.given.front().terms, terms);
  EXPECT_EQ(Answer(Outcome::Fenced)->outcome, Outcome::Fenced);
  EXPECT_EQ(commands_.TakeFenced(), terms);
  EXPECT_EQ(commands_.TakeFenced(), nullptr);
}

// An API server that restarts takes longer than the tries of other commands.
TEST_F(CommandsTest, EventsArePatient) {
  home::EventNote note;
  note.about = Pod("e");
  commands_.Record(note);
  const Timestamp began = clock_.Now();
  for (int i = 1; i < CommandOptions().event_tries; ++i) {
    commands_.Send();
    ASSERT_EQ(home_.given.size(), 1U);
    // Its name stays the same, so writing it twice does no harm.
    EXPECT_FALSE(Answer(i % 2 == 0 ? Outcome::NotDone : Outcome::Unknown));
    clock_.Advance(*commands_.NextDue() - clock_.Now());
  }
  EXPECT_GE(clock_.Now() - began, std::chrono::seconds(100));
  commands_.Send();
  EXPECT_TRUE(Answer(Outcome::Unknown));
  EXPECT_EQ(commands_.given_up(), 1U);
}

class CrowdedCommands : public CommandsTest {
 protected:
  CrowdedCommands() : CommandsTest(21) {}
};

// However many bindings come, conditions and events have their share: 16 to 4 to 1.
TEST_F(CrowdedCommands, NobodyStarves) {
  for (int i = 0; i < 500; ++i) commands_.Bind(Pod("b" + std::to_string(i)), Node());
  for (int i = 0; i < 100; ++i) commands_.PatchStatus(Condition(Pod("c" + std::to_string(i)), "no room"));
  for (int i = 0; i < 100; ++i) {
    home::EventNote note;
    note.about = Pod("e");
    commands_.Record(note);
  }
  commands_.Send();
  EXPECT_EQ(home_.Count<home::BindPod>(), 16U);
  EXPECT_EQ(home_.Count<home::PatchPodStatus>(), 4U);
  EXPECT_EQ(home_.Count<home::EventNote>(), 1U);
  for (int i = 0; i < 210; ++i) {
    Answer(Outcome::Done);
    commands_.Send();
  }
  EXPECT_EQ(home_.given.size(), 21U) << "never more than the home wants at once";
  EXPECT_LE(commands_.unanswered(), 700U - 210U);
}

TEST_F(CommandsTest, CallsAreCountedWhileTheyWaitAndWhenTheyAreMade) {
  metrics::SchedulerMetrics metrics;
  PatientHome home(1);
  Commands commands(home, clock_, {}, &metrics);
  const auto sample = [&](const std::string& name) {
    const std::string text = metrics.Expose();
    const std::string line = "\nscheduler_" + name + " ";
    const size_t at = text.find(line);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size()));
  };
  const auto answer = [&](Outcome outcome) {
    home::Completion completion;
    completion.ticket = home.given.front().ticket;
    completion.outcome = outcome;
    home.given.erase(home.given.begin());
    static_cast<void>(commands.Settle(completion));
    commands.Send();
  };
  for (const char* pod : {"p", "q", "r"}) commands.Bind(Pod(pod), Node());
  commands.PatchStatus(Condition(Pod("s"), "no room"));
  commands.Send();
  EXPECT_EQ(sample(R"(pending_async_api_calls{call_type="pod_binding"})"), 2) << "one is being made";
  EXPECT_EQ(sample(R"(pending_async_api_calls{call_type="pod_status_patch"})"), 1);
  answer(Outcome::Done);
  answer(Outcome::Gone);
  answer(Outcome::NotDone);
  EXPECT_EQ(sample(R"(pending_async_api_calls{call_type="pod_binding"})"), 0) << "what is tried again does not wait";
  EXPECT_EQ(sample(R"(pending_async_api_calls{call_type="pod_status_patch"})"), 0);
  EXPECT_EQ(sample(R"(async_api_call_execution_total{call_type="pod_binding",result="success"})"), 1);
  EXPECT_EQ(sample(R"(async_api_call_execution_total{call_type="pod_binding",result="error"})"), 2);
  answer(Outcome::Done);
  EXPECT_EQ(sample(R"(async_api_call_execution_duration_seconds_count{call_type="pod_status_patch",result="success"})"),
            1);
}

TEST_F(CommandsTest, EventsBeyondTheLimitAreDroppedAndCounted) {
  CommandOptions options;
  options.max_events = 3;
  Commands commands(home_, clock_, options, nullptr);
  for (int i = 0; i < 5; ++i) {
    home::EventNote note;
    note.about = Pod("e");
    commands.Record(note);
  }
  EXPECT_EQ(commands.dropped_events(), 2U);
}

}  // namespace
}  // namespace berth::scheduler
