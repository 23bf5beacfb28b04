// SPDX-License-Identifier: Apache-2.0
// The same plugin in Go and in Python, launched as a process and asked at every point.
#include "plugin_sdks/plugin_client.h"

#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::sdk {
namespace {

using Texts = std::vector<std::string>;

const std::string kBin = BERTH_SDK_BIN;
const std::string kSource = BERTH_SOURCE_DIR;

class SdkTest : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<std::string> Command() {
    if (GetParam() == "go") return {kBin + "/everypoint"};
    return {kSource + "/tests/plugin_sdks/python.sh", kBin, kSource + "/sdk/python/tests/every_point.py"};
  }
  SdkTest() : program_(Command()) {}

  // In a cluster of three nodes: pod 1 is on node 0, pod 2 waits.
  std::unique_ptr<PluginClient> Greeted(const std::string& labels_of_pod = {}) {
    auto client = std::make_unique<PluginClient>(program_.dialer());
    EXPECT_EQ(client->Greet().refusal(), "");
    client->Tell({NodeChange(0, "a", Labeled("a")), NodeChange(1, "b", Labeled("b", R"("bad": "very")")),
                  NodeChange(9, "c", Labeled("c")), PodChange(1, "one", Labeled("one")),
                  PodChange(2, "two", Labeled("two", labels_of_pod)), Placed(1, 0)});
    return client;
  }
  static wire::Call At(uint64_t cycle) {
    wire::Call call;
    call.set_cycle(cycle);
    return call;
  }

  PluginProgram program_;
};

TEST_P(SdkTest, GreetsWithAllThatItHas) {
  PluginClient client(program_.dialer());
  const wire::Welcome welcome = client.Greet(R"({"reject": "bad"})");
  EXPECT_EQ(welcome.refusal(), "");
  EXPECT_EQ(welcome.major(), 1u);
  EXPECT_EQ(welcome.name(), "every-point");
  EXPECT_EQ(welcome.points_size(), wire::Point_MAX);
  EXPECT_TRUE(welcome.normalizes());
  ASSERT_EQ(welcome.events_size(), 1);
  EXPECT_TRUE(welcome.events(0).ask());
}

TEST_P(SdkTest, RefusesWhatItCannotServe) {
  PluginClient client(program_.dialer());
  EXPECT_EQ(client.Greet({}, 2).refusal(), "the scheduler speaks version 2.0 of the contract, this plugin 1.0");
  EXPECT_EQ(client.Ask(FilterCall(2, {0})).error(), "the scheduler has not said hello");
  PluginClient other(program_.dialer());
  const std::string refusal = other.Greet(R"({"color": "red"})").refusal();
  EXPECT_NE(refusal.find(R"(unknown field "color")"), std::string::npos) << refusal;
}

TEST_P(SdkTest, FiltersTheClusterAsItIsTold) {
  const auto client = Greeted();
  EXPECT_EQ(Verdicts(client->Ask(FilterCall(2, {0, 1, 9})), 3),
            (Texts{"ok", "UNSCHEDULABLE: node(s) had the label bad=very", "ok"}));
  client->Tell({NodeChange(1, "b", Labeled("b")), PodChange(3, "three", Labeled("three")), Placed(3, 0)});
  EXPECT_EQ(Verdicts(client->Ask(FilterCall(2, {0, 1, 9})), 3),
            (Texts{"UNSCHEDULABLE_AND_UNRESOLVABLE: full", "ok", "ok"}));
  wire::Change gone;
  gone.set_pod_gone(3);
  client->Tell({gone, ObjectChange("Service", "closed", Labeled("closed"))});
  EXPECT_EQ(Verdicts(client->Ask(FilterCall(2, {0, 9})), 2), (Texts{"UNSCHEDULABLE: closed", "UNSCHEDULABLE: closed"}));
  EXPECT_EQ(client->Ask(FilterCall(2, {5})).error(), "the call names node 5, which was not told");
}

TEST_P(SdkTest, NarrowsTheNodes) {
  const auto client = Greeted(R"("only": "c")");
  const wire::Answer answer = client->Ask(FilterCall(2, {0, 1, 9}));
  EXPECT_TRUE(answer.filter().narrows());
  EXPECT_EQ(answer.filter().only().bits(), Nodes({9}).bits());
}

TEST_P(SdkTest, ScoresAndNormalizes) {
  const auto client = Greeted();
  const wire::Answer answer = client->Ask(ScoreCall(2, {0, 9}));
  EXPECT_EQ(answer.error(), "");
  EXPECT_EQ((std::vector<int64_t>(answer.score().scores().begin(), answer.score().scores().end())),
            (std::vector<int64_t>{1000, 0}));
  EXPECT_EQ((std::vector<int64_t>(answer.score().normalized().begin(), answer.score().normalized().end())),
            (std::vector<int64_t>{10, 0}));
  EXPECT_EQ(Text(Greeted(R"("indifferent": "yes")")->Ask(ScoreCall(2, {0, 9})).score().pre_score()), "SKIP");
}

TEST_P(SdkTest, ServesTheQueue) {
  const auto client = Greeted(R"("gate": "shut")");
  wire::Call call;
  call.mutable_pre_enqueue()->add_pods(1);
  call.mutable_pre_enqueue()->add_pods(2);
  const wire::Answer gates = client->Ask(call);
  ASSERT_EQ(gates.pre_enqueue().statuses_size(), 2);
  EXPECT_EQ(Text(gates.pre_enqueue().statuses(0)), "SUCCESS");
  EXPECT_EQ(Text(gates.pre_enqueue().statuses(1)), "PENDING: gated");
  call.mutable_sort_key()->add_pods(1);
  const wire::Answer keys = client->Ask(call);
  ASSERT_EQ(keys.sort_key().keys_size(), 1);
  EXPECT_TRUE(keys.sort_key().keys(0).parts(1).queued());
  for (const std::string good : {"yes", "no"}) {
    wire::HintCall& hint = *call.mutable_hint();
    hint.clear_pods();
    hint.add_pods(2);
    hint.mutable_after()->set_kind("Node");
    hint.mutable_after()->set_document(Labeled("new", R"("good": ")" + good + R"(")"));
    const wire::Answer answer = client->Ask(call);
    ASSERT_EQ(answer.hint().queue_size(), 1) << answer.error();
    EXPECT_EQ(answer.hint().queue(0), good == "yes");
  }
}

TEST_P(SdkTest, PostFilterAsksWhatWouldHelp) {
  const auto client = Greeted();
  wire::Call call;
  wire::PostFilterCall& post_filter = *call.mutable_post_filter();
  post_filter.set_pod(2);
  for (int i = 0; i < 3; ++i) post_filter.add_verdicts(1);
  post_filter.add_reasons()->set_code(wire::UNSCHEDULABLE);
  const uint64_t id = client->Begin(call);
  const wire::PluginMessage asked = client->Next();
  ASSERT_EQ(asked.judge().call(), id);
  ASSERT_EQ(asked.judge().hypotheses_size(), 1);
  EXPECT_EQ(asked.judge().hypotheses(0).node(), 0u);
  EXPECT_EQ(asked.judge().hypotheses(0).changes(0).pod(), 1u);
  client->Tell({NodeChange(4, "meanwhile", Labeled("meanwhile"))});
  wire::SchedulerMessage judged;
  judged.mutable_judged()->set_id(asked.judge().id());
  judged.mutable_judged()->add_statuses();
  client->Send(judged);
  const wire::Answer answer = client->AnswerTo(id);
  EXPECT_EQ(answer.post_filter().nominated_node(), "a");
  ASSERT_EQ(answer.post_filter().victims_size(), 1);
  EXPECT_EQ(answer.post_filter().victims(0), 1u);
}

TEST_P(SdkTest, JudgesNodesAsTheyWouldBe) {
  const auto client = Greeted();
  wire::Call call = At(5);
  wire::JudgeCall& judge = *call.mutable_judge();
  judge.set_pod(2);
  judge.add_hypotheses()->set_node(0);
  wire::Hypothesis& fuller = *judge.add_hypotheses();
  fuller.set_node(0);
  fuller.add_changes()->set_pod(2);
  fuller.mutable_changes(0)->set_added(true);
  const wire::Answer answer = client->Ask(call);
  ASSERT_EQ(answer.judge().statuses_size(), 2) << answer.error();
  EXPECT_EQ(Text(answer.judge().statuses(0)), "SUCCESS");
  EXPECT_EQ(Text(answer.judge().statuses(1)), "UNSCHEDULABLE_AND_UNRESOLVABLE: full");
}

TEST_P(SdkTest, ReservesAndGivesUp) {
  const auto client = Greeted(R"("unwanted": "yes")");
  wire::Call call = At(5);
  call.mutable_reserve()->set_pod(2);
  call.mutable_reserve()->set_node(9);
  EXPECT_EQ(Text(client->Ask(call).reserve()), "UNSCHEDULABLE: unwanted on c");
  wire::Note note;
  note.mutable_unreserve()->set_cycle(5);
  note.mutable_unreserve()->set_pod(2);
  note.mutable_unreserve()->set_node(9);
  client->Note(note);
  const wire::PluginMessage told = client->Next();
  EXPECT_EQ(told.event().type(), "Warning");
  EXPECT_EQ(told.event().note(), "gave up c");
}

TEST_P(SdkTest, PermitLetsWaitAndDecides) {
  for (const std::string allow : {"yes", "no"}) {
    const auto client = Greeted(R"("allow": ")" + allow + R"(")");
    wire::Call call = At(5);
    call.mutable_permit()->set_pod(2);
    call.mutable_permit()->set_node(9);
    const wire::Answer answer = client->Ask(call);
    EXPECT_EQ(Text(answer.permit().status()), "WAIT");
    EXPECT_EQ(answer.permit().timeout_millis(), 1500u);
    const wire::PluginMessage told = client->Next();
    EXPECT_EQ(told.permit().pod(), 2u);
    EXPECT_EQ(told.permit().cycle(), 5u);
    EXPECT_EQ(told.permit().allow(), allow == "yes");
    EXPECT_EQ(told.permit().reason(), allow == "yes" ? "" : "not allowed");
  }
}

TEST_P(SdkTest, PreparesAndBinds) {
  const auto client = Greeted();
  wire::Call call = At(5);
  call.mutable_pre_bind_pre_flight()->set_pod(2);
  call.mutable_pre_bind_pre_flight()->set_node(9);
  EXPECT_TRUE(client->Ask(call).pre_bind_pre_flight().allow_parallel());
  wire::BindingCall& pre_bind = *call.mutable_pre_bind();
  pre_bind.set_pod(2);
  pre_bind.set_node(9);
  const wire::Answer begun = client->Ask(call);
  EXPECT_EQ(Text(begun.pre_bind().status()), "WAIT");
  ASSERT_EQ(begun.pre_bind().works_size(), 1);
  EXPECT_EQ(begun.pre_bind().works(0).patch().merge_patch(), R"({"metadata": {"labels": {"node": "c"}}})");
  pre_bind.set_reason(wire::BindingCall::ANSWERED);
  pre_bind.set_result("2");
  EXPECT_EQ(Text(client->Ask(call).pre_bind().status()), "SUCCESS");
  call.clear_step();
  wire::BindingCall& bind = *call.mutable_bind();
  bind.set_pod(2);
  bind.set_node(9);
  EXPECT_TRUE(client->Ask(call).bind().works(0).bind());
  bind.set_reason(wire::BindingCall::ANSWERED);
  EXPECT_EQ(Text(client->Ask(call).bind().status()), "SUCCESS");
  wire::Note note;
  note.mutable_post_bind()->set_cycle(5);
  note.mutable_post_bind()->set_pod(2);
  note.mutable_post_bind()->set_node("c");
  client->Note(note);
  EXPECT_EQ(client->Next().activate().pods(0), 2u);
}

TEST_P(SdkTest, AFailedPatchIsToldToThePlugin) {
  const auto client = Greeted();
  wire::Call call = At(5);
  wire::BindingCall& pre_bind = *call.mutable_pre_bind();
  pre_bind.set_pod(2);
  pre_bind.set_node(9);
  client->Ask(call);
  pre_bind.set_reason(wire::BindingCall::ANSWERED);
  pre_bind.set_error("conflict");
  EXPECT_EQ(Text(client->Ask(call).pre_bind().status()), "UNSCHEDULABLE: not patched: conflict");
}

TEST_P(SdkTest, TakesLargeClustersAndManyCalls) {
  PluginClient client(program_.dialer());
  client.Greet();
  std::vector<wire::Change> changes = {PodChange(1, "one", Labeled("one"))};
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < 5'000; ++id) {
    ids.push_back(id);
    const std::string name = fmt::format("node-{}", id);
    const std::string padding =
        fmt::format(R"("padding": "{}"{})", std::string(2'000, 'x'), id % 2 == 0 ? "" : R"(, "bad": "odd")");
    changes.push_back(NodeChange(id, name, Labeled(name, padding)));
  }
  client.Tell(changes);
  for (int i = 0; i < 20; ++i) {
    const wire::Answer answer = client.Ask(FilterCall(1, ids));
    ASSERT_EQ(answer.filter().verdicts_size(), 5'000) << answer.error();
    ASSERT_EQ(answer.filter().reasons_size(), 1);
    EXPECT_EQ(answer.filter().verdicts(4'998), 0u);
    EXPECT_EQ(answer.filter().verdicts(4'999), 1u);
  }
}

TEST_P(SdkTest, SessionsHaveClustersOfTheirOwn) {
  const auto one = Greeted();
  const auto other = Greeted();
  one->Tell({NodeChange(0, "a", Labeled("a", R"("bad": "now")"))});
  EXPECT_EQ(Verdicts(one->Ask(FilterCall(2, {0})), 1), Texts{"UNSCHEDULABLE: node(s) had the label bad=now"});
  EXPECT_EQ(Verdicts(other->Ask(FilterCall(2, {0})), 1), Texts{"ok"});
}

TEST_P(SdkTest, AMessageThatIsTooLargeEndsTheSessionOnly) {
  const auto other = Greeted();
  const auto client = Greeted();
  client->Tell({NodeChange(2, "large", std::string(size_t{65} << 20U, ' '))});
  const std::string why = client->Loss();
  EXPECT_NE(why.find("RESOURCE_EXHAUSTED"), std::string::npos) << why;
  EXPECT_EQ(Verdicts(other->Ask(FilterCall(2, {0})), 1), Texts{"ok"});
}

TEST_P(SdkTest, AProcessThatIsKilledComesBack) {
  const auto client = Greeted();
  ASSERT_EQ(kill(program_.program().pid(), SIGKILL), 0);
  client->Loss();
  while (program_.program().starts() < 2) std::this_thread::yield();
  EXPECT_EQ(Verdicts(Greeted()->Ask(FilterCall(2, {0})), 1), Texts{"ok"});
}

INSTANTIATE_TEST_SUITE_P(Languages, SdkTest, testing::Values("go", "python"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace berth::sdk
