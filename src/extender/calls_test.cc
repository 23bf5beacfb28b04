// SPDX-License-Identifier: Apache-2.0
// What an extender is asked over HTTP, and what becomes of good answers.
#include "extender/questions.h"
#include "extender/test_calls.h"
#include "extender/test_extender_server.h"

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::extender {
namespace {

using Names = std::vector<std::string>;

class CallsTest : public testing::Test, public CallBed {
 protected:
  // Answers every question with this.
  void Serve(std::string answer) {
    server_ = std::make_unique<TestExtenderServer>(
        [answer = std::move(answer)](const AskedQuestion& /*question*/, AskingClient& client) {
          client.Answer(200, answer);
        });
    config.url_prefix = server_->url() + "/prefix/";
    Start();
  }
  ~CallsTest() override { extenders = nullptr; }

  std::unique_ptr<TestExtenderServer> server_;
};

TEST_F(CallsTest, FilterPostsNodesAndReadsThoseThatPassed) {
  Serve(R"({"Nodes": {"items": [{"metadata": {"name": "n2"}}]}, "FailedNodes": {"n1": "no"}})");
  const auto nodes = NodesNamed({"n1", "n2"});
  const auto answer = Filter(nodes);
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.passed, (Names{"n2"}));
  EXPECT_EQ(answer.failed, (std::map<std::string, std::string>{{"n1", "no"}}));
  const auto asked = server_->asked();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].line, "POST /prefix/filter HTTP/1.1");
  EXPECT_EQ(asked[0].Header("content-type"), "application/json");
  EXPECT_EQ(asked[0].body, NodesQuestion(PodNamed("p"), nodes, false));
}

TEST_F(CallsTest, FilterNamesNodesToAnExtenderThatKnowsThem) {
  config.node_cache_capable = true;
  Serve(R"({"NodeNames": ["n1"], "FailedAndUnresolvableNodes": {"n2": "never"}})");
  const auto nodes = NodesNamed({"n1", "n2"});
  const auto answer = Filter(nodes);
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.passed, (Names{"n1"}));
  EXPECT_EQ(answer.failed_unresolvable, (std::map<std::string, std::string>{{"n2", "never"}}));
  EXPECT_EQ(server_->asked()[0].body, NodesQuestion(PodNamed("p"), nodes, true));
}

TEST_F(CallsTest, PrioritizeReadsScores) {
  Serve(R"([{"Host": "n1", "Score": 3}, {"Host": "n2", "Score": 10}])");
  const auto nodes = NodesNamed({"n1", "n2"});
  const auto answer = Prioritize(nodes);
  EXPECT_EQ(answer.error, "");
  ASSERT_EQ(answer.scores.size(), 2u);
  EXPECT_EQ(answer.scores[1].host, "n2");
  EXPECT_EQ(answer.scores[1].score, 10);
  EXPECT_EQ(server_->asked()[0].line, "POST /prefix/prioritize HTTP/1.1");
  EXPECT_EQ(server_->asked()[0].body, NodesQuestion(PodNamed("p"), nodes, false));
}

TEST_F(CallsTest, PreemptSendsVictimsAndReadsThoseThatStay) {
  Serve(R"({"NodeNameToMetaVictims": {"n2": {"Pods": [{"UID": "uid-v"}], "NumPDBViolations": 1}}})");
  const std::vector<framework::Extender::Candidate> candidates = {{"n1", {PodNamed("w")}, 0},
                                                                  {"n2", {PodNamed("v"), PodNamed("w")}, 2}};
  const auto answer = Preempt(candidates);
  EXPECT_EQ(answer.error, "");
  ASSERT_EQ(answer.candidates.size(), 1u);
  EXPECT_EQ(answer.candidates.at("n2").victim_uids, (Names{"uid-v"}));
  EXPECT_EQ(answer.candidates.at("n2").budget_violations, 1);
  EXPECT_EQ(server_->asked()[0].line, "POST /prefix/preempt HTTP/1.1");
  EXPECT_EQ(server_->asked()[0].body, PreemptQuestion(PodNamed("p"), candidates, false));
}

TEST_F(CallsTest, BindNamesThePodAndItsNode) {
  Serve("{}");
  EXPECT_EQ(Bind("n1").error, "");
  EXPECT_EQ(server_->asked()[0].line, "POST /prefix/bind HTTP/1.1");
  EXPECT_EQ(server_->asked()[0].body, R"({"PodName":"p","PodNamespace":"shop","PodUID":"uid-p","Node":"n1"})");
}

TEST_F(CallsTest, AnErrorOfTheExtenderIsTheAnswersError) {
  Serve(R"({"Error": "out of order", "NodeNames": ["stranger"]})");
  EXPECT_EQ(Filter(NodesNamed({"n1"})).error, "out of order");
  EXPECT_EQ(Bind("n1").error, "out of order");
}

TEST_F(CallsTest, ANodeThatWasNotAskedAboutIsAnError) {
  config.node_cache_capable = true;
  Serve(R"({"NodeNames": ["n1", "n9"]})");
  EXPECT_EQ(
      Filter(NodesNamed({"n1"})).error,
      "extender \"" + config.url_prefix + "\" claims a filtered node \"n9\" which is not found in the input node list");
}

TEST_F(CallsTest, AConnectionIsKept) {
  Serve("{}");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Bind("n1").error, "");
  EXPECT_EQ(server_->connections(), 1u);
}

TEST_F(CallsTest, AVerbThatIsMissingIsNotAsked) {
  config.filter_verb = config.preempt_verb = config.prioritize_verb = config.bind_verb = "";
  Serve("{}");
  EXPECT_FALSE(extender().filters() || extender().prioritizes() || extender().preempts() || extender().binds());
  EXPECT_EQ(Filter(NodesNamed({"n1", "n2"})).passed, (Names{"n1", "n2"}));
  EXPECT_EQ(Prioritize(NodesNamed({"n1", "n2"})).scores.size(), 2u);
  EXPECT_EQ(Preempt({}).error,
            "preempt verb is not defined for extender " + config.url_prefix + " but run into ProcessPreemption");
  EXPECT_EQ(Bind("n1").error, "unexpected empty bindVerb in extender");
  EXPECT_TRUE(server_->asked().empty());
}

TEST_F(CallsTest, AnExtenderIsWhatItsConfigurationSays) {
  config.ignorable = true;
  Serve("{}");
  EXPECT_EQ(extender().name(), config.url_prefix);
  EXPECT_EQ(extender().weight(), 2);
  EXPECT_TRUE(extender().is_ignorable());
  EXPECT_TRUE(extender().filters() && extender().prioritizes() && extender().preempts() && extender().binds());
}

TEST_F(CallsTest, AnExtenderIsInterestedInPodsThatNameItsResources) {
  config.managed_resources = {{"example.com/gpu", true}, {"example.com/fpga", false}};
  Serve("{}");
  const auto interested = [&](const std::string& spec) {
    const auto pod = ObjectFrom<api::Pod>(R"({"metadata":{"name":"p"},"spec":)" + spec + "}");
    return extender().IsInterested(*pod->spec);
  };
  EXPECT_FALSE(interested(R"({"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]})"));
  EXPECT_TRUE(
      interested(R"({"containers":[{"name":"a"},{"name":"c","resources":{"requests":{"example.com/gpu":"1"}}}]})"));
  EXPECT_TRUE(interested(R"({"containers":[{"name":"c","resources":{"limits":{"example.com/fpga":"1"}}}]})"));
  EXPECT_TRUE(interested(
      R"({"containers":[],"initContainers":[{"name":"c","resources":{"limits":{"example.com/gpu":"1"}}}]})"));
  EXPECT_FALSE(interested(R"({"containers":[],"overhead":{"example.com/gpu":"1"}})"));
}

TEST_F(CallsTest, AnExtenderWithoutResourcesIsInterestedInEveryPod) {
  Serve("{}");
  EXPECT_TRUE(extender().IsInterested(*PodNamed("p")->spec));
}

TEST(DocumentsFor, AreThoseThatTheExtendersAreSent) {
  const auto documents = [](const std::function<void(config::Extender&)>& change) {
    std::vector<config::Extender> configs(2);
    change(configs[1]);
    return DocumentsFor(configs);
  };
  using Kept = api::KeptDocuments;
  EXPECT_EQ(documents([](config::Extender& each) { each.bind_verb = "bind"; }), Kept());
  EXPECT_EQ(documents([](config::Extender& each) { each.filter_verb = "filter"; }),
            (Kept{.nodes = true, .waiting_pods = true}));
  EXPECT_EQ(documents([](config::Extender& each) {
              each.prioritize_verb = "prioritize";
              each.preempt_verb = "preempt";
              each.node_cache_capable = true;
            }),
            Kept{.waiting_pods = true});
  EXPECT_EQ(documents([](config::Extender& each) { each.preempt_verb = "preempt"; }),
            (Kept{.waiting_pods = true, .placed_pods = true}));
}

TEST_F(CallsTest, ALargeAnswerIsRead) {
  Names names;
  std::string answer = R"({"Nodes": {"items": [)";
  const std::string ballast(100'000, 'x');
  for (int i = 0; i < 100; ++i) {
    names.push_back("n" + std::to_string(i));
    answer += (i == 0 ? "" : ",") + (R"({"metadata": {"name": ")" + names.back()) + R"("}, "spec": {"podCIDR": ")" +
              ballast + R"("}})";
  }
  answer += "]}}";
  ASSERT_GT(answer.size(), 10'000'000u);
  Serve(answer);
  const auto filtered = Filter(NodesNamed(names));
  EXPECT_EQ(filtered.error, "");
  EXPECT_EQ(filtered.passed, names);
}

TEST_F(CallsTest, SeveralExtendersShareAThread) {
  TestExtenderServer first([](const AskedQuestion& /*question*/, AskingClient& client) { client.Answer(200, "{}"); });
  TestExtenderServer second(
      [](const AskedQuestion& /*question*/, AskingClient& client) { client.Answer(200, R"({"Error": "second"})"); });
  std::vector<config::Extender> configs = {config, config};
  configs[0].url_prefix = first.url();
  configs[1].url_prefix = second.url();
  extenders = *Extenders::Start(configs);
  ASSERT_EQ(extenders->list().size(), 2u);
  std::vector<std::string> errors;
  std::vector<Awaited<Extender::BindAnswer>> answers(2);
  for (size_t i = 0; i < 2; ++i) extenders->list()[i]->Bind(PodNamed("p"), "n1", answers[i].Taker());
  EXPECT_EQ(answers[0].Get().error, "");
  EXPECT_EQ(answers[1].Get().error, "second");
  extenders = nullptr;
}

}  // namespace
}  // namespace berth::extender
