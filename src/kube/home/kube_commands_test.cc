// SPDX-License-Identifier: Apache-2.0
#include "kube/home/kube_commands.h"

#include "kube/client/test_api_server.h"
#include "kube/home/test_listener.h"
#include "kube/proto/envelope.h"
#include "kube/proto/test_messages.h"
#include "net/test_loop_thread.h"

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace berth::home {

void PrintTo(Outcome outcome, std::ostream* out) {
  constexpr const char* kNames[] = {"Done", "Conflict", "Gone", "NotDone", "Unknown", "Fenced", "Refused"};
  *out << kNames[static_cast<size_t>(outcome)];
}

}  // namespace berth::home

namespace berth::kube {
namespace {

using home::Outcome;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kPodPath = "/api/v1/namespaces/shop/pods/web-1";
constexpr const char* kEventPath = "/apis/events.k8s.io/v1/namespaces/shop/events";

api::PodPtr Pod(const std::string& name = "web-1", std::vector<api::Condition> conditions = {}) {
  api::Pod pod;
  pod.meta.namespace_ = "shop";
  pod.meta.name = name;
  pod.meta.uid = "uid-" + name;
  auto status = std::make_shared<api::PodStatus>();
  status->conditions = std::move(conditions);
  pod.status = std::move(status);
  return std::make_shared<const api::Pod>(std::move(pod));
}

home::BindPod Bind(const std::string& pod = "web-1") {
  api::Node node;
  node.meta.name = "n1";
  return {Pod(pod), std::make_shared<const api::Node>(std::move(node))};
}

home::PatchPodStatus Nominate() { return {Pod(), {}, "n1"}; }

const api::Condition kPreempted = {"DisruptionTarget", "True", "PreemptionByScheduler", "preempting"};
home::EvictPod Evict(std::vector<api::Condition> present = {}) {
  return {Pod("web-1", std::move(present)), {kPreempted, 0}};
}

home::PatchObject PatchClaim() {
  return {{"PersistentVolumeClaim", "shop", "data"}, "uid-1", "", R"({"metadata":{"annotations":{"a":"b"}}})"};
}

// Commands whose server is the test.
class KubeCommandsTest : public testing::Test {
 protected:
  explicit KubeCommandsTest(net::TestServerOptions options = {}) : server_(std::make_unique<TestApiServer>(options)) {
    access_ = server_->access();
    Make({});
  }
  ~KubeCommandsTest() override {
    loop_.Do([&] {
      commands_.reset();
      events_.reset();
      writes_.reset();
    });
  }
  void Make(const ApiClientOptions& events) {
    loop_.Do([&] {
      commands_.reset();
      writes_ = std::make_unique<ApiClient>(loop_.loop(), access_, credentials_, ApiClientOptions());
      events_ = std::make_unique<ApiClient>(loop_.loop(), access_, credentials_, events);
      commands_ = std::make_unique<KubeCommands>(*writes_, *events_, clock_, "host",
                                                 [](const store::Key&) { return std::nullopt; });
      commands_->Open(listener_);
    });
  }

  home::Ticket Carry(home::Command command, std::shared_ptr<const home::WriteTerms> terms = nullptr) {
    loop_.Do([&] { commands_->Carry({++ticket_, std::move(command), std::move(terms)}); });
    return ticket_;
  }
  home::Completion Answer() { return listener_.WaitForAnswer(ticket_); }
  Outcome OutcomeOf(home::Ticket ticket) { return listener_.WaitForAnswer(ticket).outcome; }
  // Terms that end when the clock has advanced by so much.
  std::shared_ptr<const home::WriteTerms> Until(Duration left) {
    return std::make_shared<const home::WriteTerms>(home::WriteTerms{{"lease", 1}, clock_.Steady() + left});
  }
  AskedRequest Expect(const std::string& method, const std::string& path) { return server_->Expect(method, path); }
  // Another command goes to the server and back: what was sent before it has arrived.
  void ExpectNothingBefore() {
    const home::Ticket ticket = Carry(home::LookUpPod{Pod("other")});
    Expect("GET", "/api/v1/namespaces/shop/pods/other").Refuse(404, "NotFound", "");
    EXPECT_EQ(OutcomeOf(ticket), Outcome::Gone);
    EXPECT_EQ(server_->untaken(), std::vector<std::string>());
  }

  std::unique_ptr<TestApiServer> server_;
  ClusterAccess access_;
  TestClock clock_;
  Credentials credentials_{{}, {}, clock_};
  TestListener listener_;
  net::TestLoopThread loop_;
  std::unique_ptr<ApiClient> writes_;
  std::unique_ptr<ApiClient> events_;
  std::unique_ptr<KubeCommands> commands_;
  home::Ticket ticket_ = 0;
};

// How the server answers, and what that means for any command.
struct Case {
  int status = 0;
  std::string reason = {};
  std::string message = {};
  int retry_after = 0;
  Outcome outcome = Outcome::Done;
};
const std::vector<Case>& Failures() {
  static const std::vector<Case> kFailures = {
      {400, "BadRequest", "no", 0, Outcome::Refused},
      {401, "Unauthorized", "who?", 0, Outcome::NotDone},
      {403, "Forbidden", "no", 0, Outcome::Refused},
      {404, "NotFound", "pods not found", 0, Outcome::Gone},
      {409, "Conflict", "the object has been modified", 0, Outcome::Conflict},
      {409, "Conflict", "Precondition failed: UID in precondition: a, UID in object meta: b", 0, Outcome::Gone},
      {413, "RequestEntityTooLarge", "too large", 0, Outcome::Refused},
      {422, "Invalid", "metadata.uid: Invalid value: field is immutable", 0, Outcome::Gone},
      {422, "Invalid", "spec: Invalid value", 0, Outcome::Refused},
      {429, "TooManyRequests", "slow down", 0, Outcome::NotDone},
      {429, "TooManyRequests", "slow down", 7, Outcome::NotDone},
      {500, "InternalError", "oh", 0, Outcome::Unknown},
      {500, "ServerTimeout", "try again", 1, Outcome::Unknown},
      {502, "", "bad gateway", 0, Outcome::Unknown},
      {503, "ServiceUnavailable", "away", 0, Outcome::Unknown},
      {503, "ServiceUnavailable", "starting", 3, Outcome::NotDone},
      {504, "Timeout", "no answer", 0, Outcome::Unknown},
  };
  return kFailures;
}

TEST_F(KubeCommandsTest, WhatIsDoneIsAnsweredAsDone) {
  struct Success {
    home::Command command;
    std::string method;
    std::string path;
    int status;
    std::string answer;
  };
  const std::vector<Success> successes = {
      {Bind(), "POST", std::string(kPodPath) + "/binding", 201, ""},
      {Nominate(), "PATCH", std::string(kPodPath) + "/status", 200, "77"},
      {PatchClaim(), "PATCH", "/api/v1/namespaces/shop/persistentvolumeclaims/data", 200, "77"},
  };
  for (const Success& each : successes) {
    Carry(each.command);
    Expect(each.method, each.path).Answer(each.status, R"({"metadata":{"resourceVersion":"77"}})");
    const home::Completion answer = Answer();
    EXPECT_EQ(answer.outcome, Outcome::Done) << each.path;
    EXPECT_EQ(answer.answer, each.answer) << each.path;
    EXPECT_EQ(answer.error, "");
  }
}

TEST_F(KubeCommandsTest, AFailureSaysWhetherItWasDone) {
  const std::vector<std::pair<home::Command, std::string>> commands = {
      {Bind(), "POST"}, {Nominate(), "PATCH"}, {Evict(), "PATCH"}, {PatchClaim(), "PATCH"}};
  for (const auto& [command, method] : commands) {
    for (const Case& each : Failures()) {
      Carry(command);
      Expect(method, "/api/v1/namespaces/shop").Refuse(each.status, each.reason, each.message, each.retry_after);
      const home::Completion answer = Answer();
      const bool is_status =
          std::holds_alternative<home::PatchPodStatus>(command) || std::holds_alternative<home::EvictPod>(command);
      const bool passes = is_status && each.outcome == Outcome::Conflict;
      EXPECT_EQ(answer.outcome, passes ? Outcome::NotDone : each.outcome)
          << method << " " << each.status << " " << each.message;
      EXPECT_EQ(answer.error, each.message);
      EXPECT_EQ(answer.retry_after,
                each.retry_after == 0 ? std::nullopt : std::optional<Duration>(seconds(each.retry_after)));
    }
  }
  ExpectNothingBefore();  // nothing was tried again
}

TEST_F(KubeCommandsTest, APodThatIsBoundToThatNodeAlreadyIsNoConflict) {
  const std::vector<std::pair<std::string, Outcome>> cases = {{"n1", Outcome::Done}, {"n12", Outcome::Conflict}};
  for (const auto& [node, outcome] : cases) {
    Carry(Bind());
    Expect("POST", kPodPath)
        .Refuse(
            409, "Conflict",
            "Operation cannot be fulfilled on pods/binding \\\"web-1\\\": pod web-1 is already assigned to node \\\"" +
                node + "\\\"");
    EXPECT_EQ(Answer().outcome, outcome) << node;
  }
}

// What a server calls a conflict.
std::string BindingConflict(const std::string& why) {
  return "Operation cannot be fulfilled on pods/binding \\\"web-1\\\": " + why;
}

TEST_F(KubeCommandsTest, AConflictThatSaysNothingAboutThePodIsSettledByALook) {
  for (const char* why :
       {"etcdserver: request timed out", "context deadline exceeded", "context canceled", "unexpected EOF",
        "rpc error: code = Unavailable desc = error reading from server: EOF", "something that is not known yet"}) {
    const std::vector<std::pair<std::string, Outcome>> nodes = {
        {"n1", Outcome::Done}, {"", Outcome::Conflict}, {"n2", Outcome::Conflict}};
    for (const auto& [node, outcome] : nodes) {
      Carry(Bind());
      Expect("POST", kPodPath).Refuse(409, "Conflict", BindingConflict(why));
      Expect("GET", kPodPath)
          .Answer(200, test::PodJson({.namespace_ = "shop", .name = "web-1", .uid = "uid-web-1", .node = node}));
      EXPECT_EQ(Answer().outcome, outcome) << why << ", on " << node;
    }
    Carry(Bind());
    Expect("POST", kPodPath).Refuse(409, "Conflict", BindingConflict(why));
    Expect("GET", kPodPath).Refuse(503, "ServiceUnavailable", "away");
    EXPECT_EQ(Answer().outcome, Outcome::Unknown) << why;
  }
}

TEST_F(KubeCommandsTest, ARefusalToBindThatNamesItsReasonNeedsNoLook) {
  for (const char* why :
       {"pod web-1 is being deleted, cannot be assigned to a host", "pod web-1 has non-empty .spec.schedulingGates",
        "StorageError: invalid object, Code: 4, Key: /registry/pods/shop/web-1, ResourceVersion: 0, "
        "AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 1, "
        "ResourceVersion in object meta: 2",
        "the object has been modified; please apply your changes to the latest version and try "
        "again"}) {
    Carry(Bind());
    Expect("POST", kPodPath).Refuse(409, "Conflict", BindingConflict(why));
    EXPECT_EQ(Answer().outcome, Outcome::Conflict) << why;
  }
  ExpectNothingBefore();
}

TEST_F(KubeCommandsTest, WhenTheConnectionIsCutTheCommandMayHaveBeenDone) {
  const std::vector<std::pair<home::Command, std::string>> commands = {
      {Bind(), "POST"}, {Nominate(), "PATCH"}, {Evict(), "PATCH"}, {PatchClaim(), "PATCH"}};
  for (const auto& [command, method] : commands) {
    Carry(command);
    Expect(method, "/api/v1/namespaces/shop");
    server_->server().Cut();
    const home::Completion answer = Answer();
    EXPECT_EQ(answer.outcome, Outcome::Unknown) << method;
    EXPECT_NE(answer.error, "");
  }
}

TEST_F(KubeCommandsTest, WithoutAConnectionTheCommandWasNotDone) {
  server_.reset();
  for (const home::Command& command : std::vector<home::Command>{Bind(), Nominate(), Evict(), PatchClaim()}) {
    Carry(command, Until(minutes(1)));
    const home::Completion answer = Answer();
    EXPECT_EQ(answer.outcome, Outcome::NotDone);
    EXPECT_NE(answer.error, "");
  }
}

TEST_F(KubeCommandsTest, WhenItsTermsHaveEndedNothingIsSent) {
  const auto ended = Until(seconds(10));
  clock_.Advance(seconds(10));
  for (const home::Command& command : std::vector<home::Command>{Bind(), Nominate(), Evict(), PatchClaim()}) {
    Carry(command, ended);
    EXPECT_EQ(Answer().outcome, Outcome::NotDone);
  }
  ExpectNothingBefore();
  Carry(Bind(), Until(milliseconds(600'000)));
  Expect("POST", kPodPath).Answer(201, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
}

TEST_F(KubeCommandsTest, WhatTheServerPutOffMayBeTriedUnderNewTerms) {
  Carry(Bind(), Until(seconds(10)));
  const AskedRequest asked = Expect("POST", kPodPath);
  clock_.Advance(seconds(10));
  asked.Refuse(429, "TooManyRequests", "slow down", 1);
  EXPECT_EQ(Answer().outcome, Outcome::NotDone);
}

// A server that serves one request at a time.
class OneStreamTest : public KubeCommandsTest {
 protected:
  OneStreamTest() : KubeCommandsTest({.max_streams = 1}) {}
};

TEST_F(OneStreamTest, WhenTermsEndBeforeTheRequestIsSentItIsNotSent) {
  const home::Ticket first = Carry(home::LookUpPod{Pod("first")});
  const AskedRequest asked = Expect("GET", "/api/v1/namespaces/shop/pods/first");
  const home::Ticket late = Carry(Bind(), Until(milliseconds(5)));
  std::promise<void> passed;
  loop_.Do([&] { loop_.loop().After(milliseconds(10), [&] { passed.set_value(); }); });
  passed.get_future().wait();
  clock_.Advance(milliseconds(10));
  asked.Refuse(404, "NotFound", "");
  EXPECT_EQ(OutcomeOf(first), Outcome::Gone);
  EXPECT_EQ(OutcomeOf(late), Outcome::NotDone);
  ExpectNothingBefore();
}

TEST_F(KubeCommandsTest, AnEvictionMarksThenDeletesThePodOfThatUid) {
  Carry(Evict(), Until(minutes(1)));
  const AskedRequest mark = Expect("PATCH", std::string(kPodPath) + "/status");
  EXPECT_NE(mark.body().find(R"("uid":"uid-web-1")"), std::string::npos);
  EXPECT_NE(mark.body().find(R"("type":"DisruptionTarget","status":"True")"), std::string::npos);
  EXPECT_EQ(server_->untaken(), std::vector<std::string>()) << "the mark comes first";
  mark.Answer(200, "{}");
  const AskedRequest deletion = Expect("DELETE", kPodPath);
  EXPECT_EQ(deletion.body(), R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"uid-web-1"}})");
  EXPECT_EQ(listener_.answers(), 0u);
  deletion.Answer(200, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
}

TEST_F(KubeCommandsTest, APodThatIsMarkedAlreadyIsOnlyDeleted) {
  Carry(Evict({{"Ready", "True", "", ""}, kPreempted}));
  Expect("DELETE", kPodPath).Answer(200, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
  Carry(Evict({{"DisruptionTarget", "True", "PreemptionByScheduler", "by another"}}));
  Expect("PATCH", kPodPath).Answer(200, "{}");
  Expect("DELETE", kPodPath).Answer(200, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
}

TEST_F(KubeCommandsTest, ADeletionThatFailsSaysSo) {
  for (const Case& each : Failures()) {
    Carry(Evict({kPreempted}));
    Expect("DELETE", kPodPath).Refuse(each.status, each.reason, each.message, each.retry_after);
    EXPECT_EQ(Answer().outcome, each.outcome) << each.status << " " << each.message;
  }
  Carry(Evict({kPreempted}));
  Expect("DELETE", kPodPath);
  server_->server().Cut();
  EXPECT_EQ(Answer().outcome, Outcome::Unknown);
}

TEST_F(KubeCommandsTest, WhenTermsEndAfterTheMarkNothingIsDeleted) {
  Carry(Evict(), Until(seconds(10)));
  const AskedRequest mark = Expect("PATCH", kPodPath);
  clock_.Advance(seconds(11));
  mark.Answer(200, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::NotDone);
  ExpectNothingBefore();
}

TEST_F(KubeCommandsTest, WhatCannotBePatchedIsRefusedHere) {
  Carry(home::PatchObject{{"Tenant.example.com", "shop", "t"}, "", "", "{}"});
  EXPECT_EQ(Answer().outcome, Outcome::Refused);
  Carry(home::PatchObject{{"Pod", "shop", "p"}, "", "", "7"});
  EXPECT_EQ(Answer().outcome, Outcome::Refused);
  ExpectNothingBefore();
}

TEST_F(KubeCommandsTest, ALookUpSaysWhichNodeThePodHas) {
  struct Found {
    std::string uid;
    std::string node;
    Outcome outcome;
  };
  for (const Found& each : std::vector<Found>{
           {"uid-web-1", "n1", Outcome::Done}, {"uid-web-1", "", Outcome::Done}, {"another", "n1", Outcome::Gone}}) {
    const test::TestObject pod = {.namespace_ = "shop", .name = "web-1", .uid = each.uid, .node = each.node};
    Carry(home::LookUpPod{Pod()}, Until(Duration(0)));  // a question needs no terms
    Expect("GET", kPodPath).Answer(200, test::PodJson(pod));
    EXPECT_EQ(Answer().outcome, each.outcome);
    EXPECT_EQ(Answer().answer, each.outcome == Outcome::Done ? each.node : "");
    Carry(home::LookUpPod{Pod()});
    Expect("GET", kPodPath)
        .Answer(200, test::Enveloped("v1", "Pod", test::PodMessage(pod)),
                {{"content-type", std::string(proto::kContentType)}});
    EXPECT_EQ(Answer().outcome, each.outcome);
    EXPECT_EQ(Answer().answer, each.outcome == Outcome::Done ? each.node : "");
  }
  Carry(home::LookUpPod{Pod()});
  Expect("GET", kPodPath).Answer(200, "<html>");
  EXPECT_EQ(Answer().outcome, Outcome::NotDone) << "that says nothing about the pod";
}

TEST_F(KubeCommandsTest, ALookUpThatFailsCanAlwaysBeAskedAgain) {
  for (const Case& each : Failures()) {
    Carry(home::LookUpPod{Pod()});
    Expect("GET", kPodPath).Refuse(each.status, each.reason, each.message, each.retry_after);
    EXPECT_EQ(Answer().outcome, each.outcome == Outcome::Unknown ? Outcome::NotDone : each.outcome) << each.status;
  }
  Carry(home::LookUpPod{Pod()});
  Expect("GET", kPodPath);
  server_->server().Cut();
  EXPECT_EQ(Answer().outcome, Outcome::NotDone);
}

// Events about one state of one pod.
class KubeEventsTest : public KubeCommandsTest {
 protected:
  home::EventNote Note(const std::string& pod = "web-1") {
    home::EventNote note;
    note.about = Pod(pod);
    note.type = "Warning";
    note.reason = "FailedScheduling";
    note.action = "Scheduling";
    note.controller = "default-scheduler";
    note.time = clock_.Now();
    clock_.Advance(seconds(1));
    return note;
  }
  // The first is created.
  void CreateOne(const std::string& pod = "web-1") {
    Carry(Note(pod));
    Expect("POST", kEventPath).Answer(201, "{}");
    EXPECT_EQ(Answer().outcome, Outcome::Done);
  }
  std::string Counted(int count) { return R"({"series":{"count":)" + std::to_string(count); }
};

TEST_F(KubeEventsTest, TheSecondMakesASeriesAndTheThirdIsOnlyCounted) {
  Carry(Note());
  const AskedRequest first = Expect("POST", kEventPath);
  EXPECT_NE(first.body().find("default-scheduler-host"), std::string::npos);
  first.Answer(201, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
  Carry(Note());
  const AskedRequest second = Expect("PATCH", std::string(kEventPath) + "/web-1.");
  EXPECT_TRUE(second.body().starts_with(Counted(2))) << second.body();
  second.Answer(200, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
  Carry(Note());
  EXPECT_EQ(Answer().outcome, Outcome::Done);
  ExpectNothingBefore();
  // When the series has ended, its count is written.
  clock_.Advance(minutes(7));
  loop_.Do([&] { commands_->WriteSeries(); });
  const AskedRequest last = Expect("PATCH", kEventPath);
  EXPECT_TRUE(last.body().starts_with(Counted(3))) << last.body();
  EXPECT_EQ(last.path(), second.path());
}

TEST_F(KubeEventsTest, ACountThatIsDueIsTriedUntilItIsWritten) {
  CreateOne();
  Carry(Note());
  Expect("PATCH", kEventPath).Answer(200, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
  clock_.Advance(minutes(7));
  // What was answered before, on the same connection, has been heard of by then.
  int others = 0;
  const auto write_counts = [&] {
    CreateOne("other-" + std::to_string(++others));
    loop_.Do([&] { commands_->WriteSeries(); });
  };
  write_counts();
  Expect("PATCH", kEventPath).Refuse(503, "ServiceUnavailable", "starting");
  write_counts();
  Expect("PATCH", kEventPath).Refuse(404, "NotFound", "not found");
  const AskedRequest anew = Expect("POST", kEventPath);
  EXPECT_NE(anew.body().find("FailedScheduling"), std::string::npos) << "the server has forgotten it";
  anew.Answer(201, "{}");
  write_counts();
  ExpectNothingBefore();
}

TEST_F(KubeEventsTest, CountsAreWrittenAFewAtATimeAndNotAgainMeanwhile) {
  constexpr size_t kSeries = 60;
  for (size_t i = 0; i < kSeries; ++i) {
    const std::string pod = "web-" + std::to_string(i);
    CreateOne(pod);
    Carry(Note(pod));
    Expect("PATCH", kEventPath).Answer(200, "{}");
    EXPECT_EQ(Answer().outcome, Outcome::Done);
  }
  clock_.Advance(minutes(7));
  for (int tick = 0; tick < 3; ++tick) loop_.Do([&] { commands_->WriteSeries(); });
  size_t most_waiting = 0;
  for (size_t i = 0; i < kSeries; ++i) {
    const AskedRequest count = Expect("PATCH", kEventPath);
    most_waiting = std::max(most_waiting, server_->untaken().size() + 1);
    count.Answer(200, "{}");
  }
  EXPECT_LE(most_waiting, 25u);
  CreateOne("another");  // by then all have been answered
  loop_.Do([&] { commands_->WriteSeries(); });
  ExpectNothingBefore();
}

TEST_F(KubeEventsTest, AnEventThatExistsWasWrittenByAnEarlierTry) {
  Carry(Note());
  Expect("POST", kEventPath).Refuse(409, "AlreadyExists", "exists");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
}

TEST_F(KubeEventsTest, AnEventThatWasNotWrittenIsTriedAgainUnderItsName) {
  const home::EventNote note = Note();
  Carry(note);
  const AskedRequest first = Expect("POST", kEventPath);
  first.Refuse(429, "TooManyRequests", "slow down", 1);
  EXPECT_EQ(Answer().outcome, Outcome::NotDone);
  Carry(note);
  const AskedRequest second = Expect("POST", kEventPath);
  EXPECT_EQ(second.body(), first.body());
  second.Answer(201, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
}

TEST_F(KubeEventsTest, ACountThatWasNotWrittenIsTriedAgain) {
  CreateOne();
  const home::EventNote note = Note();
  for (int tries = 0; tries < 3; ++tries) {
    Carry(note);
    const AskedRequest asked = Expect("PATCH", kEventPath);
    EXPECT_TRUE(asked.body().starts_with(Counted(2))) << asked.body();
    asked.Refuse(429, "TooManyRequests", "slow down", 1);
    EXPECT_EQ(Answer().outcome, Outcome::NotDone);
  }
}

TEST_F(KubeEventsTest, AnEventThatTheServerForgotIsWrittenAnewAsASeries) {
  CreateOne();
  Carry(Note());
  Expect("PATCH", kEventPath).Refuse(404, "NotFound", "not found");
  const AskedRequest anew = Expect("POST", kEventPath);
  EXPECT_NE(anew.body().find(test::Part(1, uint64_t{2})), std::string::npos) << "the count";
  anew.Answer(201, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
}

TEST_F(KubeEventsTest, AnEventThatWasOnItsWayIsCountedByTheNextTry) {
  CreateOne();
  const home::EventNote note = Note();
  Carry(note);
  Expect("PATCH", kEventPath).Refuse(404, "NotFound", "not found");
  Expect("POST", kEventPath).Refuse(409, "AlreadyExists", "exists");
  EXPECT_EQ(Answer().outcome, Outcome::NotDone);
  Carry(note);
  const AskedRequest again = Expect("PATCH", kEventPath);
  EXPECT_TRUE(again.body().starts_with(Counted(2))) << again.body();
}

TEST_F(KubeEventsTest, NeedNoTermsAndNeverEndThem) {
  const auto ended = Until(Duration(0));
  Carry(Note(), ended);
  Expect("POST", kEventPath).Refuse(429, "TooManyRequests", "slow down", 1);
  EXPECT_EQ(Answer().outcome, Outcome::NotDone) << "Fenced would say that another leads";
  Carry(Note(), ended);
  Expect("POST", kEventPath).Answer(201, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
}

TEST_F(KubeEventsTest, EventsDoNotHoldUpBindings) {
  Make({.qps = 0.001, .burst = 1});
  Carry(Note("web-1"));
  Carry(Note("web-2"));
  Carry(Bind());
  Expect("POST", kPodPath).Answer(201, "{}");
  EXPECT_EQ(Answer().outcome, Outcome::Done);
  Expect("POST", kEventPath);
  ExpectNothingBefore();
  loop_.Do([&] { events_->Close(); });
  EXPECT_EQ(OutcomeOf(1), Outcome::Unknown);
  EXPECT_EQ(OutcomeOf(2), Outcome::NotDone);
}

TEST_F(KubeCommandsTest, WhenFinishingOnlyBindingsAreCarriedOut) {
  std::promise<void> idle;
  bool is_idle = false;
  const home::Ticket before = Carry(Nominate());
  const AskedRequest patch = Expect("PATCH", kPodPath);
  loop_.Do([&] {
    commands_->Finish([&] {
      is_idle = true;
      idle.set_value();
    });
  });
  for (const home::Command& command :
       std::vector<home::Command>{Nominate(), Evict(), PatchClaim(), home::LookUpPod{Pod()},
                                  home::EventNote{Pod(), {}, {}, {}, {}, {}, {}, {}}}) {
    Carry(command);
    EXPECT_EQ(Answer().outcome, Outcome::NotDone);
  }
  const home::Ticket binding = Carry(Bind());
  const AskedRequest bind = Expect("POST", kPodPath);
  EXPECT_EQ(server_->untaken(), std::vector<std::string>());
  patch.Answer(200, "{}");
  EXPECT_EQ(OutcomeOf(before), Outcome::Done) << "it was on its way";
  loop_.Do([&] { EXPECT_FALSE(is_idle); });
  bind.Answer(201, "{}");
  EXPECT_EQ(OutcomeOf(binding), Outcome::Done);
  idle.get_future().wait();
  loop_.Do([&] {
    EXPECT_EQ(commands_->under_way(), 0u);
    bool at_once = false;
    commands_->Finish([&] { at_once = true; });
    EXPECT_TRUE(at_once);
  });
}

}  // namespace
}  // namespace berth::kube
