// SPDX-License-Identifier: Apache-2.0
// What extenders are asked, when, and what becomes of their answers, while the world goes on.
#include "engine/engine_checks.h"
#include "engine/live_cluster.h"
#include "plugins/registry.h"
#include "support/dice.h"
#include "support/fake_extender.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::Extender;
using std::chrono::seconds;
using testing::Test;

using Asked = std::vector<std::string>;

// Pods that ask for it are the managers' business only.
constexpr const char* kManaged = "example.com/thing";

bool AsksForThing(const api::PodSpec& spec) {
  return std::ranges::any_of(spec.containers, [](const api::Container& container) {
    return container.resources.requests.Find(kManaged) != nullptr;
  });
}

struct ExtendersTest : Test {
  void Start(scheduler::SchedulerOptions options = {}, std::vector<FakeExtender*> more = {}) {
    framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
    plans.front().percentage_of_nodes_to_score = percentage;
    std::vector<framework::Extender*> all{&extender};
    all.insert(all.end(), more.begin(), more.end());
    cluster = std::make_unique<LiveCluster>(std::move(registry), std::move(plans), std::move(options), nullptr,
                                            std::make_unique<FakeExtenders>(all));
  }
  void Nodes(const std::string& names) {
    for (const char name : names) cluster->AddNode(std::string(1, name));
  }
  // Answers and works until nothing is left to do.
  void AnswerAll() {
    do cluster->Settle();
    while (extender.AnswerNext());
  }

  FakeExtender extender{"http://extender"};
  int32_t percentage = 0;
  std::unique_ptr<LiveCluster> cluster;
};

TEST_F(ExtendersTest, AFilterLeavesWhatMayBeChosen) {
  extender.filter = PassOnly({"b"});
  Start();
  Nodes("abc");
  cluster->AddPod("web");
  cluster->Settle();
  EXPECT_EQ(extender.asked, Asked{"filter web a b c"});
  EXPECT_EQ(cluster->NodeOf("web"), "b");
}

TEST_F(ExtendersTest, RejectionsAreToldLikeThoseOfPlugins) {
  extender.filter = [](const std::vector<std::string>&) {
    Extender::FilterAnswer answer;
    answer.failed = {{"a", "too loud"}, {"b", "too loud"}};
    answer.failed_unresolvable = {{"b", "too old"}};
    return answer;  // of c it says nothing
  };
  Start();
  Nodes("abc");
  cluster->AddPod("web");
  cluster->Settle();
  ASSERT_FALSE(cluster->EventsOf("web").empty());
  EXPECT_NE(cluster->EventsOf("web").front().find("0/3 nodes are available: 1 too loud, 1 too old."), std::string::npos)
      << cluster->EventsOf("web").front();
  EXPECT_EQ(cluster->PlaceOf("web"), queue::Place::Unschedulable);
  // Whatever happens may have changed the extender's mind.
  extender.filter = PassOnly({"a"});
  cluster->AddNode("d");
  cluster->Pass(seconds(15));
  EXPECT_EQ(cluster->NodeOf("web"), "a");
}

TEST_F(ExtendersTest, PrioritiesAreWeightedAndScaledIntoThePluginsRange) {
  extender.prioritize = [](const std::vector<std::string>&) { return Extender::PrioritizeAnswer{"", {{"c", 10}}}; };
  Start();
  Nodes("abc");
  for (const char* pod : {"one", "two", "three"}) cluster->AddPod(pod);
  cluster->Settle();
  // 100 points: more than spreading takes away.
  for (const char* pod : {"one", "two", "three"}) EXPECT_EQ(cluster->NodeOf(pod), "c");
}

TEST_F(ExtendersTest, OneFeasibleNodeNeedsNoPriorities) {
  extender.filter = PassOnly({"b"});
  extender.prioritize = [](const std::vector<std::string>&) { return Extender::PrioritizeAnswer{}; };
  Start();
  Nodes("ab");
  cluster->AddPod("web");
  cluster->Settle();
  EXPECT_EQ(extender.asked, Asked{"filter web a b"});
}

TEST_F(ExtendersTest, AFailedPriorityIsNoReasonToFail) {
  extender.prioritize = [](const std::vector<std::string>&) { return Extender::PrioritizeAnswer{"broken", {}}; };
  Start();
  Nodes("ab");
  cluster->AddPod("web");
  cluster->Settle();
  EXPECT_NE(cluster->NodeOf("web"), "");
}

TEST_F(ExtendersTest, AFailedFilterFailsTheAttemptUnlessItMayBeIgnored) {
  extender.filter = [](const std::vector<std::string>&) { return Extender::FilterAnswer{"no answer", {}, {}, {}}; };
  Start();
  Nodes("ab");
  cluster->AddPod("web");
  cluster->Settle();
  EXPECT_EQ(cluster->NodeOf("web"), "");
  EXPECT_EQ(cluster->PlaceOf("web"), queue::Place::ErrorBackoff);
  ASSERT_FALSE(cluster->EventsOf("web").empty());
  EXPECT_NE(cluster->EventsOf("web").front().find("no answer"), std::string::npos);
  extender.ignorable = true;
  cluster->Pass(seconds(3));
  EXPECT_NE(cluster->NodeOf("web"), "");
}

TEST_F(ExtendersTest, EachIsAskedAboutWhatTheOneBeforeHasLeft) {
  FakeExtender second("http://second");
  extender.filter = PassOnly({"b", "c"});
  second.filter = PassOnly({"a", "c"});
  Start({}, {&second});
  Nodes("abc");
  cluster->AddPod("web");
  cluster->Settle();
  EXPECT_EQ(second.asked, Asked{"filter web b c"});
  EXPECT_EQ(cluster->NodeOf("web"), "c");
}

TEST_F(ExtendersTest, NoMoreNodesAreAskedAboutThanUpstreamWould) {
  size_t nodes_asked = 0;
  extender.filter = [&](const std::vector<std::string>& nodes) {
    nodes_asked = nodes.size();
    return Extender::FilterAnswer{"", nodes, {}, {}};
  };
  Start();
  std::vector<store::Operation> nodes;
  for (int i = 0; i < 1000; ++i) nodes.push_back(NodeOperation("n" + std::to_string(i), "4"));
  cluster->Write(std::move(nodes));
  cluster->AddPod("web");
  cluster->Settle();
  EXPECT_EQ(nodes_asked, 420U);  // 50 - 1000 / 125 percent
}

TEST_F(ExtendersTest, AllNodesAreAskedAboutWhenTheConfigurationWantsAll) {
  percentage = 100;
  size_t nodes_asked = 0;
  extender.filter = [&](const std::vector<std::string>& nodes) {
    nodes_asked = nodes.size();
    return Extender::FilterAnswer{"", nodes, {}, {}};
  };
  Start();
  std::vector<store::Operation> nodes;
  for (int i = 0; i < 300; ++i) nodes.push_back(NodeOperation("n" + std::to_string(i), "4"));
  cluster->Write(std::move(nodes));
  cluster->AddPod("web");
  cluster->Settle();
  EXPECT_EQ(nodes_asked, 300U);
}

TEST_F(ExtendersTest, AnExtenderThatIsSlowDelaysOnlyPodsThatItHasASayIn) {
  extender.filter = PassOnly({"a", "b"});
  extender.interested = AsksForThing;
  extender.holds = true;
  Start();
  cluster->AddNode("a", "4\",\"example.com/thing\":\"4");
  cluster->AddPod("its", {.cpu = "1\",\"example.com/thing\":\"1", .priority = 5});
  cluster->AddPod("its-too", {.cpu = "1\",\"example.com/thing\":\"1", .priority = 4});
  cluster->AddPod("other", {.priority = 1});
  cluster->Settle();
  EXPECT_EQ(extender.asked, Asked{"filter its a"}) << "one at a time";
  EXPECT_EQ(cluster->NodeOf("other"), "a");
  EXPECT_EQ(cluster->NodeOf("its"), "");
  AnswerAll();
  EXPECT_EQ(cluster->NodeOf("its"), "a");
  EXPECT_EQ(cluster->NodeOf("its-too"), "a");
}

TEST_F(ExtendersTest, UpstreamsOrderIsKeptIfWanted) {
  extender.filter = PassOnly({"a"});
  extender.interested = AsksForThing;
  extender.holds = true;
  scheduler::SchedulerOptions options;
  options.engine.strict_extender_order = true;
  Start(options);
  cluster->AddNode("a", "4\",\"example.com/thing\":\"4");
  cluster->AddPod("its", {.cpu = "1\",\"example.com/thing\":\"1", .priority = 5});
  cluster->AddPod("other", {.priority = 1});
  cluster->Settle();
  EXPECT_EQ(cluster->NodeOf("other"), "");
  AnswerAll();
  EXPECT_EQ(cluster->NodeOf("other"), "a");
}

TEST_F(ExtendersTest, APodThatIsDeletedMeanwhileIsLetGo) {
  extender.filter = PassOnly({"a"});
  extender.holds = true;
  Start();
  Nodes("a");
  cluster->AddPod("web");
  cluster->Settle();
  cluster->RemovePod("web");
  cluster->AddPod("next");
  AnswerAll();
  EXPECT_EQ(cluster->NodeOf("next"), "a");
  EXPECT_EQ(Disagreements(cluster->engine(), *cluster), "");
}

TEST_F(ExtendersTest, APodThatSomebodyElsePlacesMeanwhileStaysThere) {
  extender.filter = PassOnly({"a"});
  extender.holds = true;
  Start();
  Nodes("ab");
  cluster->AddPod("web");
  cluster->Settle();
  const store::Binding theirs{{"Pod", "default", "web"}, "uid-web", "b", 0, 0};
  ASSERT_TRUE(cluster->store.Bind({&theirs, 1}, std::nullopt));
  AnswerAll();
  EXPECT_EQ(cluster->NodeOf("web"), "b");
  EXPECT_EQ(Disagreements(cluster->engine(), *cluster), "");
}

TEST_F(ExtendersTest, NodesThatCameMeanwhileAreNotChosenUnasked) {
  extender.filter = [](const std::vector<std::string>& nodes) { return Extender::FilterAnswer{"", nodes, {}, {}}; };
  extender.holds = true;
  Start();
  cluster->AddNode("a", "1");
  cluster->AddPod("web", {.cpu = "1"});
  cluster->Settle();
  cluster->AddNode("b", "64");
  AnswerAll();
  EXPECT_EQ(cluster->NodeOf("web"), "a");
}

TEST_F(ExtendersTest, WhenItsNodesHaveGoneTheExtenderIsAskedAgain) {
  extender.filter = [](const std::vector<std::string>& nodes) { return Extender::FilterAnswer{"", nodes, {}, {}}; };
  extender.holds = true;
  Start();
  Nodes("a");
  cluster->AddPod("web");
  cluster->Settle();
  cluster->RemoveNode("a");
  Nodes("b");
  AnswerAll();
  EXPECT_EQ(extender.asked, (Asked{"filter web a", "filter web b"}));
  EXPECT_EQ(cluster->NodeOf("web"), "b");
}

TEST_F(ExtendersTest, NodesThatChangeAtEveryCallEndTheAttemptNotTheScheduler) {
  extender.filter = [](const std::vector<std::string>& nodes) { return Extender::FilterAnswer{"", nodes, {}, {}}; };
  extender.holds = true;
  Start();
  Nodes("0");
  cluster->AddPod("web");
  cluster->Settle();
  for (char node = '0'; node < '3'; ++node) {
    ASSERT_EQ(extender.held.size(), 1U);
    cluster->RemoveNode(std::string(1, node));
    cluster->AddNode(std::string(1, static_cast<char>(node + 1)));
    ASSERT_TRUE(extender.AnswerNext());
    cluster->Settle();
  }
  EXPECT_EQ(cluster->engine().counts().unschedulable, 1U) << "the attempt has ended";
  EXPECT_EQ(cluster->NodeOf("web"), "");
  cluster->AddNode("9");
  for (int i = 0; i < 15; ++i) {
    cluster->Pass(seconds(1));
    AnswerAll();
  }
  EXPECT_NE(cluster->NodeOf("web"), "");
}

TEST_F(ExtendersTest, ThePromisedNodeIsAskedAboutFirst) {
  extender.filter = PassOnly({"c"});
  Start();
  Nodes("abc");
  cluster->AddPod("web", {.more_status = R"("nominatedNodeName":"b")"});
  cluster->Settle();
  EXPECT_EQ(extender.asked, (Asked{"filter web b", "filter web a b c"}));
  EXPECT_EQ(cluster->NodeOf("web"), "c");
}

struct PreemptingExtenders : ExtendersTest {
  void Fill() {
    Start();
    for (const char* node : {"a", "b"}) {
      cluster->AddNode(node, "1");
      cluster->AddPod(std::string("low-") + node, {.cpu = "1", .priority = 1, .node = node});
    }
    cluster->Settle();
  }
  std::string Left() const {
    std::string left;
    for (const char* pod : {"low-a", "low-b"}) left += cluster->NodeOf(pod) == "gone" ? "" : std::string(pod) + " ";
    return left;
  }
};

TEST_F(PreemptingExtenders, AnExtenderChoosesAmongTheCandidates) {
  std::vector<std::string> proposed;
  extender.preempt = [&](const std::vector<Extender::Candidate>& candidates) {
    for (const Extender::Candidate& candidate : candidates) proposed.push_back(candidate.node);
    return Extender::PreemptAnswer{"", {{"b", {{"uid-low-b"}, 0}}}};
  };
  extender.holds = true;
  Fill();
  cluster->AddPod("high", {.cpu = "1", .priority = 10});
  AnswerAll();
  cluster->Pass(seconds(15));
  EXPECT_EQ(proposed.size(), 2U);
  EXPECT_EQ(Left(), "low-a ");
  EXPECT_EQ(cluster->NodeOf("high"), "b");
  EXPECT_EQ(std::ranges::count(extender.asked, "preempt high"), 1);
}

TEST_F(PreemptingExtenders, NothingIsEvictedWhenAnExtenderFails) {
  extender.preempt = [](const std::vector<Extender::Candidate>&) { return Extender::PreemptAnswer{"broken", {}}; };
  Fill();
  cluster->AddPod("high", {.cpu = "1", .priority = 10});
  cluster->Settle();
  EXPECT_EQ(Left(), "low-a low-b ");
  extender.ignorable = true;
  cluster->Pass(seconds(400));
  EXPECT_NE(cluster->NodeOf("high"), "");
}

TEST_F(PreemptingExtenders, VictimsThatDoNotExistAreRefused) {
  extender.preempt = [](const std::vector<Extender::Candidate>&) {
    return Extender::PreemptAnswer{"", {{"b", {{"uid-nobody"}, 0}}}};
  };
  Fill();
  cluster->AddPod("high", {.cpu = "1", .priority = 10});
  cluster->Settle();
  EXPECT_EQ(Left(), "low-a low-b ");
  ASSERT_FALSE(cluster->EventsOf("high").empty());
  EXPECT_NE(cluster->EventsOf("high").front().find("claims to preempt pod (UID: uid-nobody)"), std::string::npos)
      << cluster->EventsOf("high").front();
}

TEST_F(PreemptingExtenders, AnExtenderMayRefuseAllCandidates) {
  extender.preempt = [](const std::vector<Extender::Candidate>&) { return Extender::PreemptAnswer{}; };
  Fill();
  cluster->AddPod("high", {.cpu = "1", .priority = 10});
  cluster->Settle();
  EXPECT_EQ(Left(), "low-a low-b ");
  EXPECT_EQ(cluster->PlaceOf("high"), queue::Place::Unschedulable);
}

TEST_F(ExtendersTest, ABinderBindsThePodsItIsInterestedIn) {
  extender.interested = AsksForThing;
  extender.bind = [&](const std::string& pod, const std::string& node) {
    const store::Binding binding{{"Pod", "default", pod}, "uid-" + pod, node, 0, 0};
    EXPECT_TRUE(cluster->store.Bind({&binding, 1}, std::nullopt));
    return Extender::BindAnswer{};
  };
  extender.holds = true;
  Start();
  cluster->AddNode("a", "4\",\"example.com/thing\":\"4");
  cluster->AddPod("its", {.cpu = "1\",\"example.com/thing\":\"1"});
  cluster->AddPod("other");
  cluster->Settle();
  EXPECT_EQ(cluster->NodeOf("other"), "a");
  EXPECT_EQ(cluster->NodeOf("its"), "");
  AnswerAll();
  EXPECT_EQ(cluster->NodeOf("its"), "a");
  EXPECT_EQ(extender.asked, Asked{"bind its a"});
  EXPECT_EQ(Disagreements(cluster->engine(), *cluster), "");
}

TEST_F(ExtendersTest, ABinderThatFailsGivesTheNodeBackUnlessItMayBeIgnored) {
  extender.bind = [](const std::string&, const std::string&) { return Extender::BindAnswer{"broken"}; };
  Start();
  Nodes("a");
  cluster->AddPod("web");
  cluster->Settle();
  EXPECT_EQ(cluster->NodeOf("web"), "");
  EXPECT_EQ(cluster->engine().attempts_under_way(), 0U);
  extender.ignorable = true;
  cluster->Pass(seconds(15));
  EXPECT_EQ(cluster->NodeOf("web"), "a") << "then the profile's own plugin binds";
}

// Whatever comes, goes and changes while answers are on their way, every pod ends up in one place.
TEST_F(ExtendersTest, NothingIsLostInARandomWorld) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    FakeExtender filter("http://filter");
    FakeExtender second("http://second");
    const auto moody = [&](const std::vector<std::string>& nodes) {
      Extender::FilterAnswer answer;
      if (dice.Chance(0.12)) answer.error = "moody";
      for (const std::string& node : nodes) {
        if (dice.Chance(0.3)) {
          answer.failed.emplace(node, "unlucky");
        } else {
          answer.passed.push_back(node);
        }
      }
      return answer;
    };
    filter.filter = moody;
    second.filter = moody;
    second.interested = AsksForThing;
    second.preempt = [&](const std::vector<Extender::Candidate>& candidates) {
      Extender::PreemptAnswer answer;
      for (const Extender::Candidate& candidate : candidates) {
        if (!dice.Chance(0.3)) answer.candidates[candidate.node].victim_uids = {candidate.victims.front()->meta.uid};
      }
      return answer;
    };
    filter.holds = second.holds = true;
    if (dice.Chance(0.5)) filter.interested = AsksForThing;
    extender = FakeExtender("http://idle");
    Start({}, {&filter, &second});
    int nodes = 0;
    int pods = 0;
    for (int step = 0; step < 120; ++step) {
      switch (dice.Below(8)) {
        case 0: cluster->AddNode("n" + std::to_string(nodes++), "2\",\"example.com/thing\":\"4"); break;
        case 1:
          if (nodes > 0) {
            const std::string node = "n" + std::to_string(dice.Below(static_cast<size_t>(nodes)));
            if (cluster->store.Get({"Node", "", node}).has_value()) cluster->RemoveNode(node);
          }
          break;
        case 2:
        case 3: {
          const bool thing = dice.Chance(0.5);
          cluster->AddPod("p" + std::to_string(pods++), {.cpu = thing ? "500m\",\"example.com/thing\":\"1" : "500m",
                                                         .priority = static_cast<int>(dice.Below(3))});
          break;
        }
        case 4:
          if (pods > 0) {
            const std::string pod = "p" + std::to_string(dice.Below(static_cast<size_t>(pods)));
            if (cluster->NodeOf(pod) != "gone") cluster->RemovePod(pod);
          }
          break;
        case 5: filter.AnswerNext(); break;
        case 6: second.AnswerNext(); break;
        default: cluster->Pass(seconds(1)); break;
      }
      if (dice.Chance(0.5)) cluster->Settle();
      ASSERT_EQ(cluster->engine().CheckInvariants(), "") << "seed " << seed << ", step " << step;
    }
    do cluster->Settle();
    while (filter.AnswerNext() || second.AnswerNext());
    ASSERT_EQ(Disagreements(cluster->engine(), *cluster), "") << "seed " << seed;
    ASSERT_EQ(cluster->engine().consultations().size(), 0U);
  }
}

}  // namespace
}  // namespace berth::test
