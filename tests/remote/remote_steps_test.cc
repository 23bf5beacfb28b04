// SPDX-License-Identifier: Apache-2.0
// Every step of a pod's way as the contract tells it, with a scripted plugin at the other end.
#include "framework/pods_to_activate.h"
#include "remote/remote_bed.h"
#include "runtime/bind_run.h"
#include "runtime/pre_bind_run.h"
#include "support/fake_binding_work.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::Code;
using framework::ExtensionPoint;
using framework::PointSet;
using framework::Status;
using remote::FailurePolicy;

// What was told about pods, by their numbers.
std::map<uint64_t, std::string> NamesOf(const ScriptedPlugin& plugin) {
  std::map<uint64_t, std::string> names;
  for (const auto& message : plugin.heard()) {
    for (const wire::Change& change : message.objects().changes()) {
      if (change.has_pod()) names[change.pod().id()] = change.pod().name();
    }
  }
  return names;
}

wire::Answer To(const wire::Call& call) {
  wire::Answer answer;
  answer.set_id(call.id());
  return answer;
}

TEST(RemoteSteps, HelloSaysWhoIsCalledForWhat) {
  RemoteBed bed({ExtensionPoint::Filter, ExtensionPoint::Score});
  bed.Build();
  const wire::Hello hello = bed.plugin.heard().front().hello();
  EXPECT_EQ(hello.major(), 1U);
  EXPECT_EQ(hello.plugin(), "far");
  EXPECT_EQ(hello.profile(), "default-scheduler");
  ASSERT_EQ(hello.points_size(), 2);
  EXPECT_EQ(hello.points(0), wire::FILTER);
  EXPECT_EQ(hello.points(1), wire::SCORE);
  EXPECT_TRUE(hello.feature_gates().contains("SchedulerAsyncPreemption"));
}

TEST(RemoteSteps, OnlyThePointsWhereItIsEnabledAreConnected) {
  RemoteBed bed({ExtensionPoint::Filter});
  bed.Build();
  const framework::PluginInstance& instance = *bed.profile().plugins().Find("far");
  EXPECT_NE(instance.filter, nullptr);
  EXPECT_NE(instance.filter_all, nullptr);
  EXPECT_EQ(instance.pre_filter, nullptr);
  EXPECT_EQ(instance.score, nullptr);
  EXPECT_EQ(instance.reserve, nullptr);
  EXPECT_EQ(instance.enqueue_extensions, nullptr);
}

TEST(RemoteSteps, OneCycleIsOneNumberUntilItHasEnded) {
  RemoteBed bed({ExtensionPoint::PreFilter, ExtensionPoint::Filter});
  bed.plugin.Answer([](const wire::Call& call) { return FilterAnswers(call, {}, {}); });
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  const std::vector<wire::Call> calls = bed.plugin.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_NE(calls[0].cycle(), 0U);
  EXPECT_EQ(calls[0].cycle(), calls[1].cycle());
  ASSERT_TRUE(bed.Filter().ok());
  EXPECT_NE(bed.plugin.calls().back().cycle(), calls[0].cycle());
  bed.plugin.WaitUntilHeard([&](const auto& message) { return message.note().cycle_ended() == calls[0].cycle(); });
}

TEST(RemoteSteps, PreFilterNarrowsToNodesThatAreThereAndOthers) {
  RemoteBed bed({ExtensionPoint::PreFilter});
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = FilterAnswers(call, {}, {});
    answer.mutable_filter()->set_narrows(true);
    answer.mutable_filter()->mutable_only()->set_bits(std::string("\x05", 1));
    answer.mutable_filter()->add_only_absent("elsewhere");
    return answer;
  });
  bed.Build();
  ASSERT_TRUE(bed.PreFilter().ok());
  EXPECT_EQ(*bed.cycle.narrowed_to, (std::set<std::string>{"elsewhere", "n0", "n2"}));
}

TEST(RemoteSteps, OnlyNodesThatStillPassAreAskedAbout) {
  RemoteBed bed({ExtensionPoint::Filter});
  bed.plugin.Answer([](const wire::Call& call) { return FilterAnswers(call, {}, {}); });
  bed.Build();
  ASSERT_TRUE(bed.PreFilter().ok());
  framework::Verdicts verdicts;
  verdicts.Reset(bed.bed.cluster.live_nodes());
  verdicts.Reject(1, verdicts.Intern(Status::Unschedulable("somebody else")));
  const framework::FilterAllPlugin& filter = *bed.profile().plugins().Find("far")->filter_all;
  ASSERT_TRUE(filter.FilterAll(bed.cycle.state, *bed.pod, bed.bed.cluster, verdicts).ok());
  EXPECT_EQ(bed.plugin.calls().back().filter().nodes().bits()[0], '\x05');
}

TEST(RemoteSteps, AHypothesisTellsHowANodeDiffersInOrder) {
  RemoteBed bed({ExtensionPoint::PreFilter, ExtensionPoint::Filter});
  bed.plugin.Answer([](const wire::Call& call) {
    if (!call.has_judge()) return FilterAnswers(call, {}, {});
    wire::Answer answer = To(call);
    *answer.mutable_judge()->add_statuses() = Says(wire::UNSCHEDULABLE, "crowded");
    return answer;
  });
  const framework::PodInfoPtr a = bed.bed.Info(MakePod("a").Node("n1"));
  const framework::PodInfoPtr b = bed.bed.Info(MakePod("b").Node("n1"));
  for (const auto& pod : {a, b}) bed.bed.cluster.PlacePod(pod, "n1");
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  const auto& steps = bed.profile().filtering();
  framework::CycleState state = bed.cycle.state.Clone();
  framework::NodeInfo node = bed.bed.cluster.node(1);
  ASSERT_TRUE(node.RemovePod("default/a"));
  ASSERT_TRUE(steps.RunPreFilterRemovePod(state, *bed.pod, *a, node).ok());
  ASSERT_TRUE(node.RemovePod("default/b"));
  ASSERT_TRUE(steps.RunPreFilterRemovePod(state, *bed.pod, *b, node).ok());
  node.AddPod(a);
  ASSERT_TRUE(steps.RunPreFilterAddPod(state, *bed.pod, *a, node).ok());
  EXPECT_EQ(steps.RunFilterPluginsWithNominatedPods(state, *bed.pod, node).Message(), "crowded");
  const wire::JudgeCall judge = bed.plugin.calls().back().judge();
  ASSERT_EQ(judge.hypotheses_size(), 1);
  EXPECT_EQ(judge.hypotheses(0).node(), 1U);
  std::map<uint64_t, std::string> names = NamesOf(bed.plugin);
  std::string told;
  for (const wire::PodChange& change : judge.hypotheses(0).changes()) {
    told += (change.added() ? "+" : "-") + names[change.pod()];
  }
  EXPECT_EQ(told, "-a-b+a");
  EXPECT_EQ(names[judge.pod()], "p");
}

TEST(RemoteSteps, ScoresComeWithTheirNormalisedFormInOneCall) {
  RemoteBed bed({ExtensionPoint::PreScore, ExtensionPoint::Score});
  wire::Welcome welcome = bed.plugin.welcome();
  welcome.set_normalizes(true);
  bed.plugin.SetWelcome(welcome);
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = To(call);
    for (const int64_t score : {1000, 0, -5}) answer.mutable_score()->add_scores(score);
    for (const int64_t score : {100, 50, 0}) answer.mutable_score()->add_normalized(score);
    return answer;
  });
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  ASSERT_TRUE(bed.profile().scoring().RunPreScore(bed.cycle, *bed.pod).ok());
  std::vector<runtime::PluginScores> detail;
  ASSERT_TRUE(bed.profile().scoring().RunScore(bed.cycle, *bed.pod, &detail).ok());
  EXPECT_EQ(detail.at(0).raw, (std::vector<int64_t>{1000, 0, -5}));
  EXPECT_EQ(bed.cycle.totals, (std::vector<int64_t>{100, 50, 0}));
  EXPECT_EQ(bed.plugin.calls().size(), 1U);
}

TEST(RemoteSteps, PostFilterMayAskHowNodesWouldBeJudged) {
  RemoteBed bed({ExtensionPoint::Filter, ExtensionPoint::PostFilter});
  const framework::PodInfoPtr small = bed.bed.Info(MakePod("small").Node("n2").Priority(1));
  bed.bed.cluster.PlacePod(small, "n2");
  uint64_t post_filter = 0;
  bed.plugin.Answer([&](const wire::Call& call) -> std::optional<wire::Answer> {
    if (call.has_filter()) return FilterAnswers(call, {1, 1, 1}, {"full"});
    wire::Answer answer = To(call);
    if (call.has_judge()) {
      // Its own Filter, asked by the scheduler while it is in PostFilter.
      const bool is_empty = call.judge().hypotheses(0).changes_size() == 1;
      *answer.mutable_judge()->add_statuses() = is_empty ? Says(wire::SUCCESS) : Says(wire::UNSCHEDULABLE, "full");
      return answer;
    }
    post_filter = call.id();
    EXPECT_EQ(call.post_filter().verdicts_size(), 3);
    EXPECT_EQ(call.post_filter().reasons(0).plugin(), "far");
    wire::PluginMessage question;
    question.mutable_judge()->set_id(7);
    question.mutable_judge()->set_call(call.id());
    wire::Hypothesis& hypothesis = *question.mutable_judge()->add_hypotheses();
    hypothesis.set_node(2);
    for (const auto& [id, name] : NamesOf(bed.plugin)) {
      if (name == "small") hypothesis.add_changes()->set_pod(id);
    }
    bed.plugin.Send(question);
    return std::nullopt;
  });
  bed.Build();
  std::thread answering([&] {
    bed.plugin.WaitUntilHeard([](const auto& message) { return message.has_judged(); });
    for (const auto& message : bed.plugin.heard()) {
      if (!message.has_judged()) continue;
      EXPECT_EQ(message.judged().id(), 7U);
      EXPECT_EQ(message.judged().error(), "");
      ASSERT_EQ(message.judged().statuses_size(), 1);
      EXPECT_EQ(message.judged().statuses(0).code(), wire::SUCCESS);
    }
    wire::PluginMessage answer;
    answer.mutable_answer()->set_id(post_filter);
    wire::PostFilterAnswer& said = *answer.mutable_answer()->mutable_post_filter();
    said.set_overrides(true);
    said.set_nominated_node("n2");
    said.set_tried_preemption(true);
    for (const auto& [id, name] : NamesOf(bed.plugin)) {
      if (name == "small") said.add_victims(id);
    }
    bed.plugin.Send(answer);
  });
  ASSERT_TRUE(bed.Filter().ok());
  const framework::PostFilterResult result = bed.profile().filtering().RunPostFilter(bed.cycle, *bed.pod);
  answering.join();
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.nominated_node, "n2");
  EXPECT_EQ(bed.bed.roles.preemptions, (std::vector<std::string>{"default/p on n2: default/small, by far"}));
  EXPECT_EQ(bed.bed.roles.attempts, 1U);
}

TEST(RemoteSteps, AVictimThatIsNotOnTheNodeIsALie) {
  RemoteBed bed({ExtensionPoint::Filter, ExtensionPoint::PostFilter});
  bed.plugin.Answer([](const wire::Call& call) {
    if (call.has_filter()) return FilterAnswers(call, {1, 1, 1}, {"full"});
    wire::Answer answer = To(call);
    answer.mutable_post_filter()->set_nominated_node("n0");
    answer.mutable_post_filter()->add_victims(99);
    return answer;
  });
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  EXPECT_EQ(bed.profile().filtering().RunPostFilter(bed.cycle, *bed.pod).status.Message(),
            "remote plugin \"far\": its answer to PostFilter makes no sense: a victim is not on node n0");
  EXPECT_TRUE(bed.bed.roles.preemptions.empty());
}

TEST(RemoteSteps, PreEnqueueGatesAndTriesAgainWhenCallsCanBeMade) {
  RemoteBed bed({ExtensionPoint::PreEnqueue});
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = To(call);
    *answer.mutable_pre_enqueue()->add_statuses() = Says(wire::UNSCHEDULABLE_AND_UNRESOLVABLE, "not yet");
    return answer;
  });
  bed.bed.roles.preempting = "default/p";
  bed.Build();
  EXPECT_EQ(bed.profile().RunPreEnqueue(**bed.pod).Message(), "not yet");
  const wire::PreEnqueueCall call = bed.plugin.calls().back().pre_enqueue();
  EXPECT_EQ(call.pods(0), call.preempting(0));
  bed.plugin.GoAway();
  bed.plugin.Cut("gone");
  WaitUntil([&] { return bed.profile().RunPreEnqueue(**bed.pod).code() == Code::Error; });
  EXPECT_TRUE(bed.bed.roles.activated().empty());
  bed.plugin.GoAway(false);
  WaitUntil([&] { return !bed.bed.roles.activated().empty(); });
  EXPECT_EQ(bed.bed.roles.activated().front(), "default/p");
}

TEST(RemoteSteps, QueueSortComparesKeysPartByPart) {
  RemoteBed bed({ExtensionPoint::QueueSort});
  // By a label, then by age.
  bed.plugin.Answer([&](const wire::Call& call) {
    wire::Answer answer = To(call);
    wire::SortKey& key = *answer.mutable_sort_key()->add_keys();
    key.add_parts()->set_text(NamesOf(bed.plugin)[call.sort_key().pods(0)].substr(0, 1));
    key.add_parts()->set_queued(true);
    return answer;
  });
  bed.Build();
  const auto queued = [&](const char* name, int second) {
    return framework::QueuedPodInfo{bed.bed.Info(MakePod(name)), AtSecond(second), 0};
  };
  const auto a_late = queued("a1", 9);
  const auto a_soon = queued("a2", 1);
  const auto b = queued("b", 0);
  EXPECT_TRUE(bed.profile().QueueSortLess(a_late, b));
  EXPECT_FALSE(bed.profile().QueueSortLess(b, a_late));
  EXPECT_TRUE(bed.profile().QueueSortLess(a_soon, a_late));
  EXPECT_EQ(bed.plugin.calls().size(), 3U) << "once for each pod";
}

TEST(RemoteSteps, PodsWithoutKeysComeLastByPriorityAndAge) {
  remote::RemotePluginArgs args = RemoteBed::Args();
  args.start_timeout = std::chrono::milliseconds(1);
  RemoteBed bed({ExtensionPoint::QueueSort}, args);
  bed.plugin.GoAway();
  bed.Build();
  const framework::QueuedPodInfo high{bed.bed.Info(MakePod("high").Priority(5)), AtSecond(9), 0};
  const framework::QueuedPodInfo low{bed.bed.Info(MakePod("low")), AtSecond(1), 0};
  EXPECT_TRUE(bed.profile().QueueSortLess(high, low));
  EXPECT_FALSE(bed.profile().QueueSortLess(low, high));
}

TEST(RemoteSteps, HintsAreAskedForWhereThePluginWantsToBeAsked) {
  RemoteBed bed({ExtensionPoint::Filter});
  wire::Welcome welcome = bed.plugin.welcome();
  welcome.set_default_events(false);
  wire::Registration& nodes = *welcome.add_events();
  nodes.set_resource("Node");
  nodes.set_actions(framework::kAdd | framework::kUpdateNodeLabel);
  nodes.set_ask(true);
  welcome.add_events()->set_resource("Tenant.example.com");
  welcome.add_kinds("Tenant.example.com");
  bed.plugin.SetWelcome(welcome);
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = To(call);
    answer.mutable_hint()->add_queue(!call.hint().has_before() && call.hint().after().name() == "new");
    return answer;
  });
  bed.Build();
  const framework::PluginInstance& instance = *bed.profile().plugins().Find("far");
  EXPECT_EQ(instance.kinds, (std::vector<std::string>{"Tenant.example.com"}));
  const auto events = instance.enqueue_extensions->EventsToRegister();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].event.resource, framework::EventResource::Node);
  EXPECT_EQ(events[0].event.actions, framework::kAdd | framework::kUpdateNodeLabel);
  EXPECT_EQ(events[1].event.kind, "Tenant.example.com");
  EXPECT_FALSE(events[1].hint);
  const api::Object fresh = MakeNode("new").Build();
  const api::Object old = MakeNode("n0").Build();
  EXPECT_EQ(*events[0].hint(*bed.pod, nullptr, &fresh), framework::QueueingHint::Queue);
  EXPECT_EQ(*events[0].hint(*bed.pod, &old, &fresh), framework::QueueingHint::QueueSkip);
}

TEST(RemoteSteps, ReserveIsAskedAndUnreserveIsToldWithTheSameCycle) {
  RemoteBed bed({ExtensionPoint::Reserve});
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = To(call);
    *answer.mutable_reserve() = Says(wire::UNSCHEDULABLE, "taken");
    return answer;
  });
  bed.Build();
  framework::CycleState state;
  EXPECT_EQ(bed.profile().binding().RunReserve(state, *bed.pod, "n1").Message(), "taken");
  bed.profile().binding().RunUnreserve(state, *bed.pod, "n1");
  const wire::Call call = bed.plugin.calls().back();
  EXPECT_EQ(call.reserve().node(), 1U);
  bed.plugin.WaitUntilHeard([&](const auto& message) {
    const wire::Unreserve& told = message.note().unreserve();
    return message.note().has_unreserve() && told.cycle() == call.cycle() && told.pod() == call.reserve().pod() &&
           told.node() == 1;
  });
}

TEST(RemoteSteps, APermitVerdictReachesAPodThatIsNotWaitingYet) {
  RemoteBed bed({ExtensionPoint::Permit});
  bed.plugin.Answer([&](const wire::Call& call) {
    wire::Answer answer = To(call);
    *answer.mutable_permit()->mutable_status() = Says(wire::WAIT);
    answer.mutable_permit()->set_timeout_millis(60'000);
    // The verdict overtakes the answer.
    wire::PluginMessage verdict;
    verdict.mutable_permit()->set_pod(call.permit().pod());
    verdict.mutable_permit()->set_cycle(call.cycle());
    verdict.mutable_permit()->set_reason("changed my mind");
    bed.plugin.Send(verdict);
    return answer;
  });
  bed.Build();
  framework::CycleState state;
  std::map<std::string, Duration> waits;
  EXPECT_EQ(bed.profile().binding().RunPermit(state, *bed.pod, "n1", waits).code(), Code::Wait);
  EXPECT_EQ(waits.at("far"), std::chrono::seconds(60));
  bed.bed.waiting.Add(bed.pod, waits);
  std::optional<Status> verdict;
  WaitUntil([&] { return (verdict = bed.bed.waiting.Take("default/p")).has_value(); });
  EXPECT_EQ(verdict->Message(), "changed my mind");
  EXPECT_EQ(verdict->plugin(), "far");
}

TEST(RemoteSteps, APermitVerdictForAnotherCycleIsNobodys) {
  RemoteBed bed({ExtensionPoint::Permit});
  bed.plugin.Answer([&](const wire::Call& call) {
    wire::Answer answer = To(call);
    *answer.mutable_permit()->mutable_status() = Says(wire::WAIT);
    wire::PluginMessage verdict;
    verdict.mutable_permit()->set_pod(call.permit().pod());
    verdict.mutable_permit()->set_cycle(call.cycle() + 1);
    bed.plugin.Send(verdict);
    return answer;
  });
  bed.Build();
  framework::CycleState state;
  std::map<std::string, Duration> waits;
  EXPECT_EQ(bed.profile().binding().RunPermit(state, *bed.pod, "n1", waits).code(), Code::Wait);
  WaitUntil([&] { return bed.Counts("berth_remote_plugin_stray_messages_total{plugin=\"far\",kind=\"permit\"} 1"); });
}

// PreBind of one pod, driven as the scheduler does.
struct BindingBed : RemoteBed {
  BindingBed() : RemoteBed({ExtensionPoint::PreBind, ExtensionPoint::Bind, ExtensionPoint::PostBind}) {}

  framework::BindingProgress PreBind(const framework::Wake& wake) {
    return profile().plugins().Find("far")->pre_bind->PreBind(state, *pod, "n1", wake, work);
  }
  framework::BindingProgress Bind(const framework::Wake& wake) {
    return profile().plugins().Find("far")->bind->Bind(state, *pod, "n1", wake, work);
  }
  // The next answer from the plugin's process.
  framework::Wake Answered(framework::WorkTicket ticket) {
    WaitUntil([&] { return work.AnswerTo(ticket).has_value(); });
    return {framework::Wake::Reason::Answer, ticket, *work.AnswerTo(ticket)};
  }

  // As FakeBindingWork, but answers come on another thread.
  struct Work final : framework::BindWork {
    framework::WorkTicket Patch(framework::ObjectPatch patch) override {
      patches.push_back(std::move(patch));
      return ++last;
    }
    framework::WorkTicket RunElsewhere(std::function<Status(const std::stop_token&)>) override { return ++last; }
    framework::WorkTicket Await(const std::function<void(TakeAnswer take)>& begin) override {
      begin([this, ticket = ++last](Result<std::string> answer) {
        const MutexLock lock(mutex);
        answers.emplace(ticket, std::move(answer));
      });
      return last;
    }
    framework::WorkTicket Bind() override {
      ++bindings;
      return ++last;
    }
    std::optional<Result<std::string>> AnswerTo(framework::WorkTicket ticket) {
      const MutexLock lock(mutex);
      const auto it = answers.find(ticket);
      return it == answers.end() ? std::nullopt : std::optional(it->second);
    }
    std::vector<framework::ObjectPatch> patches;
    size_t bindings = 0;
    framework::WorkTicket last = 0;
    Mutex mutex;
    std::map<framework::WorkTicket, Result<std::string>> answers;
  };

  framework::CycleState state;
  Work work;
};

auto IsCalledFor(wire::BindingCall::Reason reason) {
  return [reason](const wire::SchedulerMessage& message) {
    return message.call().has_pre_bind() && message.call().pre_bind().reason() == reason;
  };
}

TEST(RemoteSteps, PreBindHasItsPatchesWrittenAndIsToldOfThem) {
  BindingBed bed;
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = To(call);
    wire::BindingAnswer& said = *answer.mutable_pre_bind();
    if (call.pre_bind().reason() == wire::BindingCall::START) {
      *said.mutable_status() = Says(wire::WAIT);
      wire::Patch& patch = *said.add_works()->mutable_patch();
      patch.mutable_object()->set_kind("PersistentVolumeClaim");
      patch.mutable_object()->set_namespace_("default");
      patch.mutable_object()->set_name("data");
      patch.set_merge_patch("{}");
    } else {
      *said.mutable_status() = Says(wire::UNSCHEDULABLE, call.pre_bind().result() + call.pre_bind().error());
    }
    return answer;
  });
  bed.Build();
  EXPECT_EQ(bed.PreBind({}).status.code(), Code::Wait);
  EXPECT_EQ(bed.PreBind(bed.Answered(1)).status.code(), Code::Wait);
  ASSERT_EQ(bed.work.patches.size(), 1U);
  EXPECT_EQ(bed.work.patches[0].object.name, "data");
  EXPECT_EQ(bed.PreBind({framework::Wake::Reason::Answer, 2, std::string("v7")}).status.code(), Code::Wait);
  bed.plugin.WaitUntilHeard(IsCalledFor(wire::BindingCall::ANSWERED));
  EXPECT_EQ(bed.PreBind(bed.Answered(3)).status.Message(), "v7");
}

TEST(RemoteSteps, PreBindMayGoOnByItself) {
  BindingBed bed;
  bed.plugin.Answer([&](const wire::Call& call) {
    wire::Answer answer = To(call);
    answer.mutable_pre_bind();
    if (call.pre_bind().reason() == wire::BindingCall::START) {
      *answer.mutable_pre_bind()->mutable_status() = Says(wire::WAIT);
      answer.mutable_pre_bind()->set_will_wake(true);
      answer.mutable_pre_bind()->set_wake_after_millis(5'000);
      // So quick that it overtakes its own answer.
      wire::PluginMessage wake;
      wake.mutable_wake()->set_call(call.id());
      bed.plugin.Send(wake);
    }
    return answer;
  });
  bed.Build();
  EXPECT_EQ(bed.PreBind({}).status.code(), Code::Wait);
  const framework::BindingProgress waits = bed.PreBind(bed.Answered(1));
  EXPECT_EQ(waits.status.code(), Code::Wait);
  EXPECT_EQ(waits.wake_at, bed.bed.clock.Now() + std::chrono::seconds(5));
  EXPECT_EQ(bed.PreBind(bed.Answered(2)).status.code(), Code::Wait);
  bed.plugin.WaitUntilHeard(IsCalledFor(wire::BindingCall::WOKEN));
  EXPECT_TRUE(bed.PreBind(bed.Answered(3)).status.ok());
}

TEST(RemoteSteps, AChangeThatComesWhilePreBindAnswersIsNotMissed) {
  BindingBed bed;
  wire::Welcome welcome = bed.plugin.welcome();
  welcome.add_kinds("PersistentVolumeClaim");
  bed.plugin.SetWelcome(welcome);
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = To(call);
    answer.mutable_pre_bind();
    if (call.pre_bind().reason() == wire::BindingCall::CHANGED) return answer;
    *answer.mutable_pre_bind()->mutable_status() = Says(wire::WAIT);
    wire::ObjectRef& ref = *answer.mutable_pre_bind()->add_wake_on();
    ref.set_kind("PersistentVolumeClaim");
    ref.set_namespace_("default");
    ref.set_name("data");
    return answer;
  });
  bed.Build();
  EXPECT_EQ(bed.PreBind({}).status.code(), Code::Wait);
  const framework::Wake answered = bed.Answered(1);
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  claim->meta.name = "data";
  claim->meta.namespace_ = "default";
  bed.bed.cluster.SetObject(std::shared_ptr<const api::PersistentVolumeClaim>(claim));
  EXPECT_EQ(bed.PreBind(answered).wake_on.size(), 1U);
  EXPECT_TRUE(bed.PreBind(bed.Answered(2)).status.ok()) << "it was asked again at once";
}

TEST(RemoteSteps, BindMayLeaveItToTheNextOrHaveTheBindingWritten) {
  BindingBed bed;
  bed.plugin.Answer([](const wire::Call& call) {
    wire::Answer answer = To(call);
    if (call.bind().reason() == wire::BindingCall::START) {
      *answer.mutable_bind()->mutable_status() = Says(wire::WAIT);
      answer.mutable_bind()->add_works()->set_bind(true);
    } else {
      *answer.mutable_bind()->mutable_status() = Says(wire::SKIP);
    }
    return answer;
  });
  bed.Build();
  EXPECT_FALSE(bed.profile().binding().BindsAsDefault());
  EXPECT_EQ(bed.Bind({}).status.code(), Code::Wait);
  EXPECT_EQ(bed.Bind(bed.Answered(1)).status.code(), Code::Wait);
  EXPECT_EQ(bed.work.bindings, 1U);
  EXPECT_EQ(bed.Bind({framework::Wake::Reason::Answer, 2, std::string()}).status.code(), Code::Wait);
  EXPECT_TRUE(bed.Bind(bed.Answered(3)).status.is_skip());
}

TEST(RemoteSteps, AnAnswerThatNeverComesFailsPreBind) {
  BindingBed bed;
  bed.args.timeout = std::chrono::milliseconds(5);
  bed.Build();
  EXPECT_EQ(bed.PreBind({}).status.code(), Code::Wait);
  EXPECT_EQ(bed.PreBind(bed.Answered(1)).status.Message(), "remote plugin \"far\": no answer to PreBind within 5ms");
}

TEST(RemoteSteps, PostBindIsToldOnAnyThread) {
  BindingBed bed;
  bed.Build();
  std::thread pool([&] { bed.profile().binding().RunPostBind(bed.state, *bed.pod, "n1"); });
  pool.join();
  bed.plugin.WaitUntilHeard([](const auto& message) { return message.note().post_bind().node() == "n1"; });
  EXPECT_EQ(NamesOf(bed.plugin).begin()->second, "p");
}

TEST(RemoteSteps, EventsAndActivationsAreSeenTo) {
  RemoteBed bed({ExtensionPoint::Filter});
  bed.plugin.Answer([](const wire::Call& call) { return FilterAnswers(call, {}, {}); });
  bed.Build();
  ASSERT_TRUE(bed.Filter().ok());
  const uint64_t pod = bed.plugin.calls().back().filter().pod();
  wire::PluginMessage activate;
  activate.mutable_activate()->add_pods(pod);
  activate.mutable_activate()->add_pods(12345);
  bed.plugin.Send(activate);
  WaitUntil([&] { return !bed.bed.roles.activated().empty(); });
  EXPECT_EQ(bed.bed.roles.activated(), (std::vector<std::string>{"default/p"}));
}

}  // namespace
}  // namespace berth::test
