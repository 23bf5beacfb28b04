// SPDX-License-Identifier: Apache-2.0
#include "kube/home/kube_home.h"

#include "kube/client/test_api_server.h"
#include "kube/home/test_listener.h"
#include "kube/proto/test_messages.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using home::Outcome;
using std::chrono::milliseconds;
using std::chrono::minutes;
using test::TestObject;
using Texts = std::vector<std::string>;

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";

struct CountedExchanges final : ApiObserver {
  void Exchanged(const ToldExchange& /*told*/) override { ++exchanges; }
  void Throttled(std::string_view /*method*/, std::string_view /*host*/, Duration /*waited*/) override {}
  std::atomic<int> exchanges = 0;
};

api::PodPtr Pod(const std::string& name) {
  api::Pod pod;
  pod.meta.namespace_ = "default";
  pod.meta.name = name;
  pod.meta.uid = "uid-" + name;
  pod.status = std::make_shared<const api::PodStatus>();
  return std::make_shared<const api::Pod>(std::move(pod));
}

home::Command Bind(const std::string& pod) {
  api::Node node;
  node.meta.name = "n1";
  return home::BindPod{Pod(pod), std::make_shared<const api::Node>(std::move(node))};
}

home::Command Nominate(const std::string& pod) { return home::PatchPodStatus{Pod(pod), {}, "n1"}; }

home::Command Note(const std::string& pod) {
  home::EventNote note;
  note.about = Pod(pod);
  return note;
}

std::string BindingPath(const std::string& pod) { return "/api/v1/namespaces/default/pods/" + pod + "/binding"; }

// A home whose API server is the test.
class KubeHomeTest : public testing::Test {
 protected:
  void Make(KubeHomeOptions options = {}) {
    home_ = std::make_unique<KubeHome>(server_->access(), Surroundings(), clock_, std::move(options), log::Logger(),
                                       &observer_);
    home_->Open(listener_, {"Pod", "Node"});
  }
  // Returns the watches of pods and nodes; both lists are complete.
  std::pair<AskedRequest, AskedRequest> StartSynced() {
    home_->Start();
    AskedRequest pods = server_->Expect("GET", "/api/v1/pods");
    AskedRequest nodes = server_->Expect("GET", "/api/v1/nodes");
    pods.Begin(kProtobuf);
    pods.Write(Event("ADDED", "Pod", {.name = "a", .uid = "uid-a", .version = "1"}) + End());
    nodes.Begin(kProtobuf);
    nodes.Write(Event("ADDED", "Node", {.namespace_ = "", .name = "n1", .uid = "uid-n1", .version = "2"}) + End());
    listener_.WaitForSynced();
    listener_.WaitForChanges(2);
    return {pods, nodes};
  }
  static std::string Event(const std::string& type, const std::string& kind, const TestObject& object) {
    return test::WatchFrame(
        type, test::Enveloped("v1", kind, kind == "Pod" ? test::PodMessage(object) : test::NodeMessage(object)));
  }
  static std::string End() {
    return Event("BOOKMARK", "Pod", {.namespace_ = "", .version = "9", .initial_events_end = true});
  }
  home::Ticket Submit(home::Command command) {
    std::vector<home::Submission> commands;
    commands.push_back({++ticket_, std::move(command), nullptr});
    home_->Submit(commands);
    EXPECT_TRUE(commands.empty());
    return ticket_;
  }
  Outcome OutcomeOf(home::Ticket ticket) { return listener_.WaitForAnswer(ticket).outcome; }
  void Destroy() {
    home_.reset();
    server_ = std::make_unique<TestApiServer>();
  }

  std::unique_ptr<TestApiServer> server_ = std::make_unique<TestApiServer>();
  TestClock clock_;
  TestListener listener_;
  CountedExchanges observer_;
  std::unique_ptr<KubeHome> home_;
  home::Ticket ticket_ = 0;
};

TEST_F(KubeHomeTest, KindsOfWhichDocumentsAreKeptAreReadAsJson) {
  Make({.keep_documents = {.nodes = true}});
  home_->Start();
  AskedRequest pods = server_->Expect("GET", "/api/v1/pods");
  EXPECT_TRUE(pods.Header("accept").front().starts_with(kProtobuf));
  AskedRequest nodes = server_->Expect("GET", "/api/v1/nodes");
  EXPECT_EQ(nodes.Header("accept"), Texts{"application/json"});
  nodes.Begin("application/json");
  nodes.Write(R"({"type":"ADDED","object":{"metadata":{"name":"n1","resourceVersion":"2"},"spec":{"podCIDR":"x"}}})"
              "\n");
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set n1 2"});
  EXPECT_EQ(*std::get<api::NodePtr>(*home_->FindTold({"Node", "", "n1"}))->document,
            R"({"metadata":{"name":"n1","resourceVersion":"2"},"spec":{"podCIDR":"x"}})");
}

TEST_F(KubeHomeTest, IsSyncedWhenEveryKindHasBeenListed) {
  Make();
  home_->Start();
  const AskedRequest pods = server_->Expect("GET", "/api/v1/pods");
  EXPECT_NE(pods.path().find("fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"), std::string::npos)
      << "pods that have ended hold nothing";
  pods.Begin(kProtobuf);
  pods.Write(Event("ADDED", "Pod", {.name = "a", .uid = "uid-a", .version = "1"}) + End());
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 1"});
  const AskedRequest nodes = server_->Expect("GET", "/api/v1/nodes");
  EXPECT_EQ(nodes.path().find("fieldSelector"), std::string::npos);
  EXPECT_EQ(listener_.synced(), 0);
  nodes.Begin(kProtobuf);
  nodes.Write(Event("ADDED", "Node", {.namespace_ = "", .name = "n1", .uid = "uid-n1", .version = "2"}));
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set n1 2"});
  EXPECT_EQ(listener_.synced(), 0);
  nodes.Write(End());
  EXPECT_EQ(listener_.WaitForSynced(), 1);
  EXPECT_EQ(home_->feed_stats().relists, 2u);
}

TEST_F(KubeHomeTest, FindsWhatWasTold) {
  Make();
  StartSynced();
  EXPECT_TRUE(home_->FindTold({"Pod", "default", "a"}).has_value());
  EXPECT_TRUE(home_->FindTold({"Node", "", "n1"}).has_value());
  EXPECT_FALSE(home_->FindTold({"Pod", "default", "b"}).has_value());
  EXPECT_FALSE(home_->FindTold({"Service", "default", "a"}).has_value());
}

TEST_F(KubeHomeTest, SaysHowItsFeedsAreDoing) {
  Make();
  home_->Start();
  server_->Expect("GET", "/api/v1/nodes").Refuse(503, "ServiceUnavailable", "nodes are away", 1);
  EXPECT_EQ(listener_.WaitForProblem(), "Interrupted Node: nodes are away");
  const home::FeedStats stats = home_->feed_stats();
  EXPECT_EQ(stats.interruptions, 1u);
  EXPECT_EQ(stats.last_error, "Node: nodes are away");
}

TEST_F(KubeHomeTest, CarriesOutWhatIsSubmittedAlsoBeforeItStarts) {
  Make();
  const home::Ticket before = Submit(Bind("early"));
  StartSynced();
  server_->Expect("POST", BindingPath("early")).Answer(201, "{}");
  EXPECT_EQ(OutcomeOf(before), Outcome::Done);
  const home::Ticket binding = Submit(Bind("a"));
  const home::Ticket patch = Submit(Nominate("b"));
  const home::Ticket event = Submit(Note("c"));
  server_->Expect("POST", "/apis/events.k8s.io/v1/namespaces/default/events").Answer(201, "{}");
  server_->Expect("PATCH", "/api/v1/namespaces/default/pods/b/status")
      .Answer(200, R"({"metadata":{"resourceVersion":"8"}})");
  server_->Expect("POST", BindingPath("a")).Refuse(409, "Conflict", "pod a is being deleted");
  EXPECT_EQ(OutcomeOf(binding), Outcome::Conflict);
  EXPECT_EQ(listener_.WaitForAnswer(patch).answer, "8");
  EXPECT_EQ(OutcomeOf(event), Outcome::Done);
  std::vector<home::Submission> none;
  home_->Submit(none);
  EXPECT_EQ(listener_.answers(), 4u);
  EXPECT_GE(observer_.exchanges, 4);
}

TEST_F(KubeHomeTest, AnyThreadMaySubmit) {
  Make({.qps = -1});
  StartSynced();
  constexpr int kThreads = 3;
  constexpr int kEach = 50;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          std::vector<home::Submission> commands;
          commands.push_back({static_cast<home::Ticket>(1 + t * kEach + i), Bind("p"), nullptr});
          home_->Submit(commands);
        }
      });
    }
    for (int i = 0; i < kThreads * kEach; ++i) server_->Expect("POST", BindingPath("p")).Answer(201, "{}");
  }
  for (int i = 0; i < kThreads * kEach; ++i) EXPECT_EQ(OutcomeOf(static_cast<home::Ticket>(1 + i)), Outcome::Done);
}

TEST_F(KubeHomeTest, FeedsWritesEventsAndLeasesDoNotWaitForEachOther) {
  Make({.farewell = milliseconds(1)});
  StartSynced();
  Submit(Bind("a"));
  server_->Expect("POST", BindingPath("a"));
  Submit(Note("a"));
  server_->Expect("POST", "/apis/events.k8s.io");
  auto lease = std::async(std::launch::async, [&] { return home_->leases().Acquire("l", "me", minutes(1)); });
  server_->Expect("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l").Refuse(503, "", "");
  EXPECT_FALSE(lease.get().has_value());
  EXPECT_EQ(server_->server().connections(), 4u);
}

TEST_F(KubeHomeTest, StopWaitsForAnswers) {
  Make({.farewell = minutes(1)});
  StartSynced();
  const home::Ticket binding = Submit(Bind("a"));
  const AskedRequest asked = server_->Expect("POST", BindingPath("a"));
  auto stopped = std::async(std::launch::async, [&] { home_->Stop(); });
  asked.Answer(201, "{}");
  stopped.get();
  ASSERT_EQ(listener_.answers(), 1u);
  EXPECT_EQ(OutcomeOf(binding), Outcome::Done);
}

TEST_F(KubeHomeTest, StopAnswersWhatTheServerDoesNot) {
  // Two requests of each client are sent, the rest waits for a quarter of an hour.
  Make({.qps = 0.001, .burst = 2, .farewell = milliseconds(20)});
  StartSynced();
  const home::Ticket binding = Submit(Bind("a"));
  const home::Ticket eviction = Submit(home::EvictPod{Pod("b"), {{"DisruptionTarget", "True", "", ""}, 0}});
  const home::Ticket waits = Submit(Bind("c"));
  const home::Ticket event = Submit(Note("d"));
  server_->Expect("POST", BindingPath("a"));
  server_->Expect("PATCH", "/api/v1/namespaces/default/pods/b/status");
  server_->Expect("POST", "/apis/events.k8s.io");
  home_->Stop();
  EXPECT_EQ(listener_.answers(), 4u);
  EXPECT_EQ(OutcomeOf(binding), Outcome::Unknown);
  EXPECT_EQ(OutcomeOf(eviction), Outcome::Unknown);
  EXPECT_EQ(OutcomeOf(waits), Outcome::NotDone);
  EXPECT_EQ(OutcomeOf(event), Outcome::Unknown);
  home_->Stop();
  home_.reset();
  EXPECT_EQ(listener_.answers(), 4u);
}

TEST_F(KubeHomeTest, StopDoesNotWaitForAServerThatIsSilent) {
  Make({.farewell = milliseconds(20)});
  server_->server().Freeze();
  home_->Start();
  const home::Ticket binding = Submit(Bind("a"));
  home_->Stop();
  EXPECT_EQ(OutcomeOf(binding), Outcome::NotDone);
}

TEST_F(KubeHomeTest, MayStopAtAnyMoment) {
  const std::vector<std::pair<std::string, std::function<void()>>> moments = {
      {"before Open",
       [&] { home_ = std::make_unique<KubeHome>(server_->access(), Surroundings(), clock_, KubeHomeOptions()); }},
      {"before Start", [&] { Make(); }},
      {"at once",
       [&] {
         Make();
         home_->Start();
       }},
      {"before a list is answered",
       [&] {
         Make();
         home_->Start();
         server_->Expect("GET", "/api/v1/pods");
       }},
      {"before a page is answered",
       [&] {
         Make({.stream_lists = false});
         home_->Start();
         server_->Expect("GET", "/api/v1/pods?limit=500");
       }},
      {"in a pause",
       [&] {
         Make();
         home_->Start();
         server_->Expect("GET", "/api/v1/pods").Refuse(503, "", "away", 3'600);
         listener_.WaitForProblem();
       }},
      {"in a watch",
       [&] {
         Make();
         StartSynced();
       }},
      {"when the server is gone",
       [&] {
         Make();
         StartSynced();
         server_.reset();
         listener_.WaitForProblem();
       }},
  };
  for (const auto& [when, come_there] : moments) {
    for (const bool stop : {true, false}) {
      SCOPED_TRACE(when);
      come_there();
      if (stop) home_->Stop();
      Destroy();
    }
  }
}

TEST_F(KubeHomeTest, LendsLeasesBeforeItStartsAndAfterItHasStopped) {
  Make({.lease_namespace = "elsewhere"});
  const std::string path = "/apis/coordination.k8s.io/v1/namespaces/elsewhere/leases";
  const std::string lease = R"({"metadata":{"name":"l","resourceVersion":"1"},"spec":{"holderIdentity":"me"}})";
  auto acquired = std::async(std::launch::async, [&] { return home_->leases().Acquire("l", "me", minutes(1)); });
  server_->Expect("GET", path + "/l").Refuse(404, "NotFound", "");
  server_->Expect("POST", path).Answer(201, lease);
  const Result<store::Lease> held = acquired.get();
  ASSERT_TRUE(held.has_value()) << held.error().message;
  StartSynced();
  home_->Stop();
  auto released = std::async(std::launch::async, [&] { return home_->leases().Release(*held); });
  server_->Expect("GET", path + "/l").Answer(200, lease);
  server_->Expect("PUT", path + "/l").Answer(200, lease);
  EXPECT_TRUE(released.get().has_value());
}

}  // namespace
}  // namespace berth::kube
