// SPDX-License-Identifier: Apache-2.0
#include "framework/extension_points/filter.h"
#include "remote/breaker.h"
#include "remote/remote_bed.h"
#include "support/fake_plugins.h"

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::Code;
using framework::ExtensionPoint;
using framework::PointSet;
using framework::Status;
using remote::FailurePolicy;

constexpr PointSet kFilter{ExtensionPoint::Filter};
constexpr PointSet kBoth{ExtensionPoint::PreFilter, ExtensionPoint::Filter};
constexpr PointSet kScores{ExtensionPoint::PreScore, ExtensionPoint::Score};

remote::RemotePluginArgs With(FailurePolicy policy) {
  remote::RemotePluginArgs args = RemoteBed::Args();
  args.failure_policy = policy;
  return args;
}

remote::RemotePluginArgs Hurried(FailurePolicy policy = FailurePolicy::Fail) {
  remote::RemotePluginArgs args = With(policy);
  args.timeout = std::chrono::milliseconds(5);
  args.start_timeout = std::chrono::milliseconds(5);
  return args;
}

// Takes every node but n1, by the name of its reason.
ScriptedPlugin::OnCall RejectsTheSecond() {
  return [](const wire::Call& call) -> std::optional<wire::Answer> {
    if (call.filter().pre_filter()) return FilterAnswers(call, {}, {});
    return FilterAnswers(call, {0, 1, 0}, {"it is far"});
  };
}

TEST(RemoteFailures, AnAnswerIsTaken) {
  RemoteBed bed(kBoth);
  bed.plugin.Answer(RejectsTheSecond());
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  EXPECT_TRUE(bed.VerdictOn("n0").ok());
  EXPECT_EQ(bed.VerdictOn("n1").Message(), "it is far");
  EXPECT_EQ(bed.VerdictOn("n1").plugin(), "far");
  EXPECT_TRUE(bed.Counts("berth_remote_plugin_calls_total{plugin=\"far\",step=\"Filter\",result=\"ok\"} 1"));
  EXPECT_TRUE(bed.Counts("berth_remote_plugin_connected{plugin=\"far\",profile=\"default-scheduler\"} 1"));
}

TEST(RemoteFailures, APluginThatDoesNotAnswerFailsTheStepByName) {
  RemoteBed bed(kFilter, Hurried());
  bed.Build();
  bed.plugin.WaitForSessions(1);
  Status status;
  // Until the session is open, that is what is said.
  WaitUntil([&] { return (status = bed.Filter()).Message().find("no answer") != std::string::npos; });
  EXPECT_EQ(status.code(), Code::Error);
  EXPECT_EQ(status.Message(), "running \"far\" filter plugin: remote plugin \"far\": no answer to Filter within 5ms");
  bed.plugin.WaitUntilHeard([](const auto& message) { return message.has_cancel(); });
  EXPECT_TRUE(bed.Counts("step=\"Filter\",result=\"timeout\""));
}

TEST(RemoteFailures, AfterThreeFailuresInARowCallsFailAtOnceUntilTheNextSession) {
  RemoteBed bed(kFilter, Hurried());
  bed.Build();
  bed.plugin.WaitForSessions(1);
  Status status;
  WaitUntil([&] { return (status = bed.Filter()).Message().find("3 calls in a row") != std::string::npos; });
  EXPECT_EQ(status.Message(),
            "running \"far\" filter plugin: remote plugin \"far\": it is not called for a while, because 3 calls in a "
            "row have failed; the last: remote plugin \"far\": no answer to Filter within 5ms");
  EXPECT_TRUE(bed.Counts("berth_remote_plugin_suspended{plugin=\"far\",profile=\"default-scheduler\"} 1"));
  const size_t asked = bed.plugin.calls().size();
  EXPECT_FALSE(bed.Filter().ok());
  EXPECT_EQ(bed.plugin.calls().size(), asked);

  bed.plugin.Answer(RejectsTheSecond());
  bed.plugin.Cut("it was restarted");
  WaitUntil([&] { return bed.Filter().ok(); });
  EXPECT_TRUE(bed.Counts("berth_remote_plugin_suspended{plugin=\"far\",profile=\"default-scheduler\"} 0"));
}

TEST(RemoteFailures, AfterAWhileACallIsMadeOnTrial) {
  remote::Breaker breaker;
  using std::chrono::seconds;
  remote::Breaker::Moment now{};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(breaker.Allows(now));
    breaker.Begins(now);
    breaker.Failed(now);
  }
  seconds pause(1);
  for (const int expected : {1, 2, 4, 8, 16, 30, 30}) {
    pause = seconds(expected);
    EXPECT_FALSE(breaker.Allows(now + pause - std::chrono::milliseconds(1))) << expected;
    now += pause;
    EXPECT_TRUE(breaker.Allows(now)) << expected;
    breaker.Begins(now);
    EXPECT_FALSE(breaker.Allows(now)) << "one call is on trial";
    breaker.Failed(now);
  }
  breaker.Succeeded();
  EXPECT_TRUE(breaker.Allows(now));
  EXPECT_FALSE(breaker.is_open());
}

TEST(RemoteFailures, APluginThatIsNotThereIsUsedOnceItComes) {
  RemoteBed bed(kFilter, Hurried());
  bed.plugin.GoAway();
  bed.Build();
  const Status status = bed.Filter();
  EXPECT_EQ(status.Message(),
            "running \"far\" filter plugin: remote plugin \"far\": there is no session: nobody listens");
  EXPECT_TRUE(bed.Counts("berth_remote_plugin_connected{plugin=\"far\",profile=\"default-scheduler\"} 0"));
  bed.plugin.Answer(RejectsTheSecond());
  bed.plugin.GoAway(false);
  WaitUntil([&] { return bed.Filter().ok(); });
  EXPECT_EQ(bed.VerdictOn("n1").Message(), "it is far");
}

TEST(RemoteFailures, ASessionThatIsLostMidCallFailsItAtOnce) {
  RemoteBed bed(kFilter);
  bed.plugin.Answer([&](const wire::Call&) -> std::optional<wire::Answer> {
    bed.plugin.Cut("it was killed");
    return std::nullopt;
  });
  bed.Build();
  EXPECT_EQ(bed.Filter().Message(),
            "running \"far\" filter plugin: remote plugin \"far\": the session was lost during Filter");
  EXPECT_TRUE(bed.Counts("result=\"lost\""));
}

TEST(RemoteFailures, AfterAReconnectEverythingIsToldAgain) {
  RemoteBed bed(kFilter);
  bed.plugin.Answer(RejectsTheSecond());
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  const auto count_nodes = [&] {
    size_t nodes = 0;
    for (const auto& message : bed.plugin.heard()) {
      for (const wire::Change& change : message.objects().changes()) nodes += change.has_node() ? 1 : 0;
    }
    return nodes;
  };
  ASSERT_TRUE(bed.Filter().ok());
  EXPECT_EQ(count_nodes(), 3U);
  bed.plugin.Cut("it was restarted");
  WaitUntil([&] { return bed.Filter().ok() && bed.plugin.sessions() == 2; });
  EXPECT_EQ(count_nodes(), 6U);
}

TEST(RemoteFailures, OfIgnoredPluginsNothingIsSaid) {
  RemoteBed bed(kBoth, Hurried(FailurePolicy::Ignore));
  bed.plugin.GoAway();
  bed.Build();
  const Status status = bed.PreFilter();
  EXPECT_TRUE(status.ok()) << status.Message();
  EXPECT_TRUE(bed.profile().filtering().RunFilter(bed.cycle, *bed.pod).ok());
  EXPECT_EQ(bed.cycle.feasible.size(), 3U);
}

TEST(RemoteFailures, IgnoredScoresAreZero) {
  RemoteBed bed(kScores, Hurried(FailurePolicy::Ignore));
  bed.plugin.GoAway();
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  ASSERT_TRUE(bed.profile().scoring().RunPreScore(bed.cycle, *bed.pod).ok());
  ASSERT_TRUE(bed.profile().scoring().RunScore(bed.cycle, *bed.pod).ok());
  EXPECT_EQ(bed.cycle.totals, (std::vector<int64_t>{0, 0, 0}));
}

// Rejects n2, if its PreFilter has run, and tells how often that was.
class Spare final : public framework::PreFilterPlugin, public framework::FilterPlugin {
 public:
  explicit Spare(int& prepared) : prepared_(prepared) {}
  framework::PreFilterResult PreFilter(framework::CycleState& state, const framework::PodInfo&,
                                       framework::IndexedCluster&) override {
    ++prepared_;
    state.Write(kKey);
    return {};
  }
  Status Filter(const framework::CycleState& state, const framework::PodInfo&,
                const framework::NodeInfo& node) const override {
    if (state.Read(kKey) == nullptr) return Status::FromError("not prepared");
    return node.name() == "n2" ? Status::Unschedulable("the spare one says no") : Status::Success();
  }

 private:
  struct Prepared final : framework::CloneableState<Prepared> {};
  static constexpr framework::StateKey<Prepared> kKey{"Spare"};
  int& prepared_;
};

TEST(RemoteFailures, TheFallbackAnswersInThePlaceOfAnAbsentPlugin) {
  RemoteBed bed(kBoth, Hurried(FailurePolicy::Fallback));
  bed.plugin.GoAway();
  int prepared = 0;
  bed.Build([&](framework::Handle&) { return framework::MakeInstance(std::make_shared<Spare>(prepared)); });
  ASSERT_TRUE(bed.Filter().ok());
  EXPECT_EQ(bed.VerdictOn("n2").Message(), "the spare one says no");
  EXPECT_EQ(bed.VerdictOn("n2").plugin(), "far");
  EXPECT_EQ(prepared, 1);
}

TEST(RemoteFailures, TheFallbackIsPreparedWhenThePluginFailsInTheMiddleOfACycle) {
  RemoteBed bed(kBoth, With(FailurePolicy::Fallback));
  bed.plugin.Answer([](const wire::Call& call) -> std::optional<wire::Answer> {
    wire::Answer answer = FilterAnswers(call, {}, {});
    if (!call.filter().pre_filter()) answer.set_error("out of order");
    return answer;
  });
  int prepared = 0;
  bed.Build([&](framework::Handle&) { return framework::MakeInstance(std::make_shared<Spare>(prepared)); });
  ASSERT_TRUE(bed.Filter().ok());
  EXPECT_EQ(bed.VerdictOn("n2").Message(), "the spare one says no");
  EXPECT_EQ(prepared, 1);
  // The rest of the cycle is the fallback's, too.
  const framework::FilterPlugin& filter = *bed.profile().plugins().Find("far")->filter;
  EXPECT_FALSE(filter.Filter(bed.cycle.state, *bed.pod, bed.bed.cluster.node(2)).ok());
  EXPECT_EQ(prepared, 1);
}

// A lie is answered by a message that names it.
struct Lie {
  const char* name;
  ScriptedPlugin::OnCall answer;
  const char* problem;
};

class RemoteLies : public testing::TestWithParam<Lie> {};

TEST_P(RemoteLies, IsAFailureThatNamesIt) {
  RemoteBed bed(kFilter);
  bed.plugin.Answer(GetParam().answer);
  bed.Build();
  EXPECT_EQ(bed.Filter().Message(),
            std::string("running \"far\" filter plugin: remote plugin \"far\": its answer to Filter makes no sense: ") +
                GetParam().problem);
  EXPECT_TRUE(bed.Counts("result=\"lie\""));
}

INSTANTIATE_TEST_SUITE_P(All, RemoteLies,
                         testing::Values(Lie{"TooFewVerdicts",
                                             [](const wire::Call& call) {
                                               return FilterAnswers(call, {0, 0}, {});
                                             },
                                             "2 verdicts on 3 nodes"},
                                         Lie{"UnknownVerdict",
                                             [](const wire::Call& call) {
                                               return FilterAnswers(call, {0, 0, 2}, {"x"});
                                             },
                                             "unknown verdict 2"},
                                         Lie{"AnotherStep",
                                             [](const wire::Call& call) {
                                               wire::Answer answer;
                                               answer.set_id(call.id());
                                               answer.mutable_score();
                                               return answer;
                                             },
                                             "it answers another step"},
                                         Lie{"UnknownCode",
                                             [](const wire::Call& call) {
                                               wire::Answer answer = FilterAnswers(call, {0, 0, 1}, {"x"});
                                               answer.mutable_filter()->mutable_reasons(0)->set_code(
                                                   static_cast<wire::Code>(17));
                                               return answer;
                                             },
                                             "unknown code 17"},
                                         Lie{"SuccessAsReason",
                                             [](const wire::Call& call) {
                                               wire::Answer answer = FilterAnswers(call, {0, 0, 1}, {"x"});
                                               answer.mutable_filter()->mutable_reasons(0)->set_code(wire::SUCCESS);
                                               return answer;
                                             },
                                             "a rejection that is none"}),
                         [](const auto& tested) { return tested.param.name; });

TEST(RemoteFailures, UnknownNodesAreALie) {
  RemoteBed bed(kBoth);
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = FilterAnswers(call, {}, {});
    answer.mutable_filter()->set_narrows(true);
    answer.mutable_filter()->mutable_only()->set_bits(std::string("\x08", 1));
    return answer;
  });
  bed.Build();
  EXPECT_EQ(bed.PreFilter().Message(),
            "running PreFilter plugin \"far\": remote plugin \"far\": its answer to PreFilter makes no sense: it names "
            "unknown nodes");
}

TEST(RemoteFailures, ScoresOutOfRangeAreALie) {
  RemoteBed bed(kScores);
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer;
    answer.set_id(call.id());
    for (const int64_t score : {1, 101, 3}) answer.mutable_score()->add_scores(score);
    return answer;
  });
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  EXPECT_EQ(bed.profile().scoring().RunPreScore(bed.cycle, *bed.pod).Message(),
            "running PreScore plugin \"far\": remote plugin \"far\": its answer to PreScore makes no sense: the score "
            "101 is not in [0, 100]");
}

TEST(RemoteFailures, AnErrorOnANodeEndsTheCycleAndIsNoFailureOfThePlugin) {
  RemoteBed bed(kFilter);
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = FilterAnswers(call, {0, 1, 0}, {"broken"});
    answer.mutable_filter()->mutable_reasons(0)->set_code(wire::ERROR);
    return answer;
  });
  bed.Build();
  EXPECT_EQ(bed.Filter().Message(), "running \"far\" filter plugin: broken");
  EXPECT_TRUE(bed.Counts("step=\"Filter\",result=\"ok\"} 1"));
}

TEST(RemoteFailures, AnswersToNobodyAreCountedAndDropped) {
  RemoteBed bed(kFilter);
  bed.plugin.Answer([&](const wire::Call& call) {
    wire::PluginMessage stranger;
    stranger.mutable_answer()->set_id(4711);
    bed.plugin.Send(stranger);
    return RejectsTheSecond()(call);
  });
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  WaitUntil([&] { return bed.Counts("berth_remote_plugin_stray_messages_total{plugin=\"far\",kind=\"unknown\"} 1"); });
  // The same answer once more is one that comes late.
  wire::PluginMessage again;
  again.mutable_answer()->set_id(bed.plugin.calls().back().id());
  bed.plugin.Send(again);
  WaitUntil([&] { return bed.Counts("kind=\"late\"} 1"); });
  EXPECT_TRUE(bed.Filter().ok());
}

TEST(RemoteFailures, AnswersMayComeInAnyOrder) {
  RemoteBed bed(kFilter, Hurried());
  bed.Build();
  bed.plugin.WaitForSessions(1);
  WaitUntil([&] { return bed.Filter().Message().find("no answer") != std::string::npos; });
  // The late answer to the first call comes with the answer to the second, before it.
  const wire::Call first = bed.plugin.calls().back();
  bed.plugin.Answer([&](const wire::Call& call) {
    wire::PluginMessage late;
    *late.mutable_answer() = FilterAnswers(first, {1, 1, 1}, {"late"});
    bed.plugin.Send(late);
    return RejectsTheSecond()(call);
  });
  WaitUntil([&] { return bed.Filter().ok(); });
  EXPECT_TRUE(bed.VerdictOn("n0").ok());
  EXPECT_EQ(bed.VerdictOn("n1").Message(), "it is far");
}

TEST(RemoteFailures, AFloodEndsTheSession) {
  RemoteBed bed(kFilter);
  bed.plugin.Answer(RejectsTheSecond());
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  wire::PluginMessage late;
  late.mutable_answer()->set_id(1);
  for (int i = 0; i < 2'000; ++i) bed.plugin.Send(late);
  bed.plugin.WaitForSessions(2);
  WaitUntil([&] { return bed.Filter().ok(); });
}

struct Greeting {
  const char* name;
  std::function<void(wire::Welcome&)> change;
  const char* why;
};

class RemoteGreetings : public testing::TestWithParam<Greeting> {};

TEST_P(RemoteGreetings, ThatDoNotFitAreRefused) {
  RemoteBed bed(kFilter);
  wire::Welcome welcome = bed.plugin.welcome();
  GetParam().change(welcome);
  bed.plugin.SetWelcome(welcome);
  bed.Build();
  EXPECT_EQ(
      bed.Filter().Message(),
      std::string("running \"far\" filter plugin: remote plugin \"far\": there is no session: ") + GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    All, RemoteGreetings,
    testing::Values(Greeting{"AnotherVersion", [](wire::Welcome& welcome) { welcome.set_major(2); },
                             "it speaks version 2.0 of the contract, this scheduler 1.0"},
                    Greeting{"FewerPoints", [](wire::Welcome& welcome) { welcome.clear_points(); },
                             "it is enabled at FILTER, which it does not serve"},
                    Greeting{"Refusal", [](wire::Welcome& welcome) { welcome.set_refusal("no GPU here"); },
                             "it refuses: no GPU here"}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace berth::test
