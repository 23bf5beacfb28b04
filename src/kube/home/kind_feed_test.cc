// SPDX-License-Identifier: Apache-2.0
#include "kube/home/kind_feed.h"

#include "kube/client/test_api_server.h"
#include "kube/home/test_listener.h"
#include "kube/proto/envelope.h"
#include "kube/proto/test_messages.h"
#include "net/test_loop_thread.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using test::TestObject;
using Texts = std::vector<std::string>;

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kExpired = "too old resource version: 1 (2)";

// The value of a parameter in a path's query; nothing when it is not there.
std::optional<std::string> Parameter(const AskedRequest& request, std::string_view name) {
  std::string_view query = std::string_view(request.path()).substr(request.path().find('?'));
  while (!query.empty()) {
    query.remove_prefix(1);
    const std::string_view entry = query.substr(0, query.find('&'));
    if (entry.substr(0, entry.find('=')) == name) return std::string(entry.substr(name.size() + 1));
    query.remove_prefix(entry.size());
  }
  return std::nullopt;
}

TestObject Pod(const std::string& name, int version) {
  return {.name = name, .uid = "uid-" + name, .version = std::to_string(version)};
}

// An event of a watch in protobuf.
std::string Event(std::string_view type, const TestObject& pod) {
  return test::WatchFrame(type, test::Enveloped("v1", "Pod", test::PodMessage(pod)));
}
std::string Bookmark(int version) { return Event("BOOKMARK", {.namespace_ = "", .version = std::to_string(version)}); }
std::string InitialEnd(int version) {
  return Event("BOOKMARK", {.namespace_ = "", .version = std::to_string(version), .initial_events_end = true});
}
std::string ErrorEvent(int code, std::string_view reason, std::string_view message) {
  return test::WatchFrame("ERROR", test::Enveloped("v1", "Status", test::StatusMessage(code, reason, message)));
}

void AnswerPage(const AskedRequest& request, int version, const std::string& continue_token,
                const std::vector<TestObject>& pods) {
  std::vector<std::string> items;
  for (const TestObject& pod : pods) items.push_back(test::PodMessage(pod));
  request.Answer(200,
                 test::Enveloped("v1", "PodList", test::ListMessage(std::to_string(version), continue_token, items)),
                 {{"content-type", kProtobuf}});
}

// A feed whose server is the test. It pauses for a few milliseconds where a real one does for seconds.
class KindFeedTest : public testing::Test {
 protected:
  ~KindFeedTest() override { Destroy(); }

  void Start(KindFeedOptions options = {}, const std::string& kind = "Pod") {
    options.first_pause = milliseconds(1);
    loop_.Do([&] {
      client_ = std::make_unique<ApiClient>(loop_.loop(), access_, credentials_, ApiClientOptions());
      feed_ = std::make_unique<KindFeed>(kind, *client_, listener_, clock_, std::move(options),
                                         [this] { listener_.Synced(); });
      feed_->Start();
    });
  }
  void Destroy() {
    loop_.Do([&] {
      if (feed_ != nullptr) feed_->Close();
      feed_.reset();
      client_.reset();
    });
  }

  // The request that begins with a list, or one that goes on from a version.
  AskedRequest ExpectList() {
    AskedRequest request = server_.Expect("GET", "/api/v1/pods?watch=true");
    EXPECT_EQ(Parameter(request, "sendInitialEvents"), "true") << request.path();
    EXPECT_EQ(Parameter(request, "resourceVersion"), "");
    return request;
  }
  AskedRequest ExpectWatch(int version) {
    AskedRequest request = server_.Expect("GET", "/api/v1/pods?watch=true");
    EXPECT_EQ(Parameter(request, "sendInitialEvents"), std::nullopt) << request.path();
    EXPECT_EQ(Parameter(request, "resourceVersion"), std::to_string(version));
    return request;
  }
  // Starts, and tells of pods a, at version 1, and b, at 2; the list is of version 3.
  AskedRequest StartWithTwoPods() {
    Start();
    AskedRequest watch = ExpectList();
    watch.Begin(kProtobuf);
    watch.Write(Event("ADDED", Pod("a", 1)) + Event("ADDED", Pod("b", 2)) + InitialEnd(3));
    EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/a 1", "set default/b 2"}));
    listener_.WaitForSynced();
    return watch;
  }
  std::string Interruption(const std::string& why) { return "Interrupted Pod: " + why; }
  // The version of the object as it was told last; empty when there is none.
  std::string Told(const std::string& name) {
    const std::optional<api::Object> found = feed_->Find({"Pod", "default", name});
    return found ? api::MetaOf(*found).resource_version : "";
  }

  TestApiServer server_;
  const ClusterAccess access_ = server_.access();
  TestClock clock_;
  Credentials credentials_{{}, {}, clock_};
  TestListener listener_;
  net::TestLoopThread loop_;
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<KindFeed> feed_;
};

TEST_F(KindFeedTest, AListIsTheBeginningOfAWatch) {
  Start({.accept = "application/vnd.kubernetes.protobuf,application/json", .field_selector = "status.phase!=Failed"});
  const AskedRequest watch = ExpectList();
  EXPECT_EQ(watch.Header("accept"), Texts{"application/vnd.kubernetes.protobuf,application/json"});
  EXPECT_EQ(Parameter(watch, "fieldSelector"), "status.phase%21%3DFailed");
  EXPECT_EQ(Parameter(watch, "allowWatchBookmarks"), "true");
  EXPECT_EQ(Parameter(watch, "resourceVersionMatch"), "NotOlderThan");
  const int seconds = std::stoi(*Parameter(watch, "timeoutSeconds"));
  EXPECT_GE(seconds, 300);
  EXPECT_LT(seconds, 600);
  watch.Begin(kProtobuf);
  watch.Write(Event("ADDED", Pod("a", 1)) + Event("ADDED", Pod("b", 2)));
  EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/a 1", "set default/b 2"}));
  EXPECT_EQ(listener_.synced(), 0) << "there may be more";
  watch.Write(Event("ADDED", Pod("c", 1)) + InitialEnd(3));
  EXPECT_EQ(listener_.WaitForSynced(), 1);
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/c 1"});
  watch.Write(Event("MODIFIED", Pod("a", 4)));
  watch.Write(Event("DELETED", Pod("b", 5)) + Event("ADDED", Pod("d", 6)));
  EXPECT_EQ(listener_.WaitForChanges(3).size(), 3u);
  EXPECT_EQ(Told("a"), "4");
  EXPECT_EQ(Told("b"), "");
  EXPECT_EQ(Told("d"), "6");
  EXPECT_EQ(listener_.synced(), 1);
  EXPECT_EQ(listener_.problems(), 0u);
  EXPECT_EQ(feed_->stats().relists, 1u);
  EXPECT_EQ(feed_->stats().interruptions, 0u);
}

TEST_F(KindFeedTest, JsonIsReadWhereTheServerSpeaksIt) {
  const auto line = [](std::string_view type, const TestObject& pod) {
    return fmt::format(R"({{"type":"{}","object":{}}})", type, test::PodJson(pod)) + "\n";
  };
  Start();
  const AskedRequest watch = ExpectList();
  watch.Begin("application/json");
  watch.Write(line("ADDED", Pod("a", 1)));
  watch.Write(line("BOOKMARK", {.version = "2", .initial_events_end = true}) + line("MODIFIED", Pod("a", 3)));
  EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/a 1", "set default/a 3"}));
  EXPECT_EQ(listener_.WaitForSynced(), 1);
}

TEST_F(KindFeedTest, AServerThatCannotStreamListsIsAskedForPages) {
  for (const int refusal : {400, 422, 406}) {
    Start({.field_selector = "a=b", .page = 2});
    ExpectList().Refuse(refusal, "Invalid", "sendInitialEvents is forbidden");
    const AskedRequest first = server_.Expect("GET", "/api/v1/pods?limit=2");
    EXPECT_EQ(Parameter(first, "fieldSelector"), "a%3Db");
    EXPECT_EQ(Parameter(first, "continue"), std::nullopt);
    EXPECT_EQ(Parameter(first, "resourceVersion"), std::nullopt) << "the list must be of the latest state";
    AnswerPage(first, 9, "to/2=", {Pod("a", 1), Pod("b", 2)});
    EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/a 1", "set default/b 2"}));
    const AskedRequest second = server_.Expect("GET", "/api/v1/pods?limit=2");
    EXPECT_EQ(Parameter(second, "continue"), "to%2F2%3D");
    AnswerPage(second, 9, "", {Pod("c", 3)});
    const AskedRequest watch = ExpectWatch(9);
    EXPECT_EQ(Parameter(watch, "fieldSelector"), "a%3Db");
    listener_.WaitForSynced();
    EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/c 3"});
    watch.Begin(kProtobuf);
    watch.Write(Event("ADDED", Pod("d", 10)));
    EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/d 10"});
    // What it cannot do it will not be asked for again.
    watch.Write(ErrorEvent(410, "Expired", kExpired));
    AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=2"), 11, "", {Pod("a", 1)});
    EXPECT_EQ(listener_.WaitForChanges(3),
              (Texts{"deleted default/b 2", "deleted default/c 3", "deleted default/d 10"}));
    ExpectWatch(11);
    Destroy();
  }
}

TEST_F(KindFeedTest, PagesMayBeAskedForAtOnceAndInJson) {
  Start({.accept = "application/json", .stream_lists = false});
  const AskedRequest list = server_.Expect("GET", "/api/v1/pods?limit=500");
  EXPECT_EQ(list.Header("accept"), Texts{"application/json"});
  // Items do not say what they are.
  list.Answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)"
                   R"({"metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"5"},"spec":{}}]})");
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 5"});
  ExpectWatch(7);
  EXPECT_EQ(listener_.synced(), 1);
}

TEST_F(KindFeedTest, DocumentsAreKeptOfListsAndWatches) {
  Start({.keep_documents = {.waiting_pods = true}, .stream_lists = false});
  const auto kept = [&](const std::string& name) {
    return *std::get<api::PodPtr>(*feed_->Find({"Pod", "default", name}))->document;
  };
  const AskedRequest list = server_.Expect("GET", "/api/v1/pods?limit=500");
  EXPECT_EQ(list.Header("accept"), Texts{"application/json"}) << "protobuf is not read whole";
  list.Answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)"
                   R"({"metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"5",)"
                   R"("managedFields":[{"manager":"m"}]},"spec":{"hostname":"h"}}]})");
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 5"});
  EXPECT_EQ(kept("a"), R"({"metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"5"},)"
                       R"("spec":{"hostname":"h"},"apiVersion":"v1","kind":"Pod"})");
  const AskedRequest watch = ExpectWatch(7);
  EXPECT_EQ(watch.Header("accept"), Texts{"application/json"});
  watch.Begin("application/json");
  const std::string b =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"default","uid":"u","resourceVersion":"8"},)"
      R"("spec":{"hostname":"h"}})";
  watch.Write(R"({"type":"ADDED","object":)" + b + "}\n");
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/b 8"});
  EXPECT_EQ(kept("b"), b);
}

TEST_F(KindFeedTest, AnEmptyListIsAListToo) {
  Start({.stream_lists = false});
  server_.Expect("GET", "/api/v1/pods?limit=500")
      .Answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":null})");
  ExpectWatch(7);
  EXPECT_EQ(listener_.synced(), 1);
  EXPECT_EQ(listener_.changes(), Texts());
}

TEST_F(KindFeedTest, APageThatIsNoListIsTriedAgain) {
  Start({.stream_lists = false});
  const std::vector<std::pair<std::string, std::string>> pages = {
      {"application/json", "{"},
      {"application/json", ""},
      {"application/json", "{}"},
      {"application/json", "[]"},
      {"text/html", "<html>hello</html>"},
      {kProtobuf, ""},
      {kProtobuf, test::Enveloped("v1", "PodList", "x")},
      {kProtobuf, test::Enveloped("v1", "PodList", test::Part(2, "x"))},
  };
  for (const auto& [type, body] : pages) {
    server_.Expect("GET", "/api/v1/pods?limit=500").Answer(200, body, {{"content-type", type}});
    const std::string problem = listener_.WaitForProblem();
    EXPECT_TRUE(problem.starts_with("Interrupted Pod: ")) << problem;
  }
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=500"), 9, "", {Pod("a", 1)});
  EXPECT_EQ(listener_.WaitForProblem(), "Recovered Pod: ");
  EXPECT_EQ(listener_.WaitForSynced(), 1);
}

TEST_F(KindFeedTest, AListThatExpiresBetweenPagesComesInOnePiece) {
  Start({.stream_lists = false, .page = 1, .max_answer = 1'000});
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=1"), 9, "next", {Pod("a", 1)});
  server_.Expect("GET", "/api/v1/pods?limit=1").Refuse(410, "Expired", kExpired);
  const AskedRequest anew = server_.Expect("GET", "/api/v1/pods?limit=0");
  EXPECT_EQ(Parameter(anew, "continue"), std::nullopt);
  EXPECT_EQ(listener_.problems(), 0u);
  std::vector<TestObject> pods;
  for (int i = 0; i < 100; ++i) pods.push_back(Pod("b" + std::to_string(i), 11));
  AnswerPage(anew, 12, "", pods);  // more than a page may have
  EXPECT_EQ(listener_.WaitForChanges(102).back(), "deleted default/a 1");
  EXPECT_EQ(listener_.WaitForSynced(), 1);
  // The next list comes in pages again.
  ExpectWatch(12).Refuse(410, "Expired", kExpired);
  server_.Expect("GET", "/api/v1/pods?limit=1");
}

TEST_F(KindFeedTest, WhenTheListInOnePieceFailsTooItBeginsAnewInPagesAfterAPause) {
  Start({.stream_lists = false, .page = 1});
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=1"), 9, "next", {Pod("a", 1)});
  server_.Expect("GET", "/api/v1/pods?limit=1").Refuse(410, "Expired", kExpired);
  server_.Expect("GET", "/api/v1/pods?limit=0").Refuse(410, "Expired", "and again");
  EXPECT_EQ(listener_.WaitForProblem(), Interruption("and again"));
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=1"), 12, "", {Pod("b", 11)});
  ExpectWatch(12);
}

TEST_F(KindFeedTest, AnItemThatIsNoObjectIsPassedOver) {
  Start({.accept = "application/json", .stream_lists = false});
  server_.Expect("GET", "/api/v1/pods?limit=500")
      .Answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[null,)"
                   R"({"metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"5"},"spec":{}}]})");
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 5"});
  EXPECT_EQ(listener_.WaitForProblem(), "Unreadable Pod : an item of the list is not an object");
  ExpectWatch(7);
  EXPECT_EQ(feed_->stats().undecodable, 1u);
}

TEST_F(KindFeedTest, AWatchThatTheServerEndsGoesOnWhereItWas) {
  const AskedRequest first = StartWithTwoPods();
  first.Write(Event("MODIFIED", Pod("a", 5)));
  first.Finish();
  const AskedRequest second = ExpectWatch(5);
  second.Begin(kProtobuf);
  second.Write(Bookmark(8));
  second.Finish();
  const AskedRequest third = ExpectWatch(8);
  third.Begin(kProtobuf);
  third.Write(Event("DELETED", Pod("b", 9)));
  EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/a 5", "deleted default/b 2"}));
  EXPECT_EQ(listener_.problems(), 0u) << "servers end watches every few minutes";
  EXPECT_EQ(feed_->stats().relists, 1u);
  EXPECT_EQ(feed_->stats().interruptions, 2u);
}

TEST_F(KindFeedTest, AWatchThatIsCutGoesOnWhereItWas) {
  const AskedRequest first = StartWithTwoPods();
  first.Write(Event("MODIFIED", Pod("a", 5)));
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 5"});
  // Half an event is nothing.
  const std::string event = Event("MODIFIED", Pod("b", 6));
  first.Write(event.substr(0, event.size() / 2));
  server_.server().Cut();
  EXPECT_TRUE(listener_.WaitForProblem().starts_with("Interrupted Pod: "));
  const AskedRequest second = ExpectWatch(5);
  second.Begin(kProtobuf);
  second.Write(event);
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/b 6"});
  EXPECT_EQ(listener_.WaitForProblem(), "Recovered Pod: ");
  EXPECT_EQ(listener_.problems(), 0u);
}

TEST_F(KindFeedTest, AWatchThatIsClosedAtOnceIsOpenedAfterAPause) {
  StartWithTwoPods().Finish();
  for (int i = 0; i < 3; ++i) {
    const AskedRequest watch = ExpectWatch(3);
    watch.Begin(kProtobuf);
    watch.Finish();
    EXPECT_EQ(listener_.WaitForProblem(), Interruption("the watch was closed at once"));
  }
  const AskedRequest watch = ExpectWatch(3);
  watch.Begin(kProtobuf);
  watch.Write(Bookmark(4));
  EXPECT_EQ(listener_.WaitForProblem(), "Recovered Pod: ");
}

// How a server says that it does not know a version any more.
struct Expiry {
  std::string what;
  void (*tell)(const AskedRequest& watch);
};
const std::vector<Expiry>& Expiries() {
  static const std::vector<Expiry> kExpiries = {
      {"an event",
       [](const AskedRequest& watch) {
         watch.Begin(kProtobuf);
         watch.Write(ErrorEvent(410, "Expired", kExpired));
       }},
      {"an event without a code",
       [](const AskedRequest& watch) {
         watch.Begin(kProtobuf);
         watch.Write(ErrorEvent(0, "Gone", kExpired));
       }},
      {"a status", [](const AskedRequest& watch) { watch.Refuse(410, "Expired", kExpired); }},
      {"a version that does not exist yet",
       [](const AskedRequest& watch) { watch.Refuse(504, "Timeout", "Too large resource version: 3, current: 2"); }},
  };
  return kExpiries;
}

TEST_F(KindFeedTest, WhenItsVersionIsForgottenEverythingIsListedAndTheDifferenceTold) {
  for (const Expiry& expiry : Expiries()) {
    SCOPED_TRACE(expiry.what);
    const AskedRequest first = StartWithTwoPods();
    first.Write(Event("ADDED", Pod("c", 4)));
    EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/c 4"});
    first.Finish();
    expiry.tell(ExpectWatch(4));
    EXPECT_TRUE(listener_.WaitForProblem().starts_with("Interrupted Pod: "));
    const AskedRequest list = ExpectList();
    list.Begin(kProtobuf);
    list.Write(Event("ADDED", Pod("a", 1)) + Event("ADDED", Pod("c", 8)) + Event("ADDED", Pod("d", 9)));
    EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/c 8", "set default/d 9"}));
    EXPECT_EQ(Told("b"), "2") << "the list may still mention it";
    list.Write(InitialEnd(10));
    EXPECT_EQ(listener_.WaitForChanges(1), Texts{"deleted default/b 2"});
    EXPECT_EQ(listener_.WaitForProblem(), "Recovered Pod: ");
    EXPECT_EQ(feed_->stats().relists, 2u);
    Destroy();
  }
}

TEST_F(KindFeedTest, AnotherPodOfTheSameNameIsADeletionAndANewPod) {
  const AskedRequest first = StartWithTwoPods();
  first.Write(ErrorEvent(410, "Expired", kExpired));
  const AskedRequest list = ExpectList();
  list.Begin(kProtobuf);
  list.Write(Event("ADDED", {.name = "a", .uid = "another", .version = "8"}) + Event("ADDED", Pod("b", 2)) +
             InitialEnd(9));
  EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"deleted default/a 1", "set default/a 8"}));
}

TEST_F(KindFeedTest, AClusterThatWasPutBackToAnEarlierStateIsToldAsItIs) {
  const AskedRequest first = StartWithTwoPods();
  first.Write(Event("MODIFIED", Pod("a", 50)) + Event("ADDED", Pod("c", 51)));
  EXPECT_EQ(listener_.WaitForChanges(2).size(), 2u);
  first.Finish();
  ExpectWatch(51).Refuse(504, "Timeout", "Too large resource version: 51, current: 40");
  const AskedRequest list = ExpectList();
  list.Begin(kProtobuf);
  list.Write(Event("ADDED", Pod("a", 30)) + Event("ADDED", Pod("b", 2)) +
             Event("ADDED", {.name = "c", .uid = "another", .version = "35"}) + InitialEnd(40));
  EXPECT_EQ(listener_.WaitForChanges(3), (Texts{"set default/a 30", "deleted default/c 51", "set default/c 35"}));
  list.Write(Event("MODIFIED", Pod("a", 41)));
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 41"});
}

TEST_F(KindFeedTest, AListThatIsCutBeginsAnew) {
  Start();
  const AskedRequest first = ExpectList();
  first.Begin(kProtobuf);
  first.Write(Event("ADDED", Pod("a", 1)) + Event("ADDED", Pod("b", 2)) + Bookmark(2));
  EXPECT_EQ(listener_.WaitForChanges(2).size(), 2u);
  server_.server().Cut();
  EXPECT_TRUE(listener_.WaitForProblem().starts_with("Interrupted Pod: "));
  const AskedRequest second = ExpectList();
  EXPECT_EQ(listener_.synced(), 0);
  second.Begin(kProtobuf);
  second.Write(Event("ADDED", Pod("b", 2)) + Event("ADDED", Pod("c", 4)) + InitialEnd(5));
  EXPECT_EQ(listener_.WaitForSynced(), 1);
  EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/c 4", "deleted default/a 1"}));
}

TEST_F(KindFeedTest, TheServerSaysHowLongToStayAway) {
  for (const bool stream_lists : {true, false}) {
    Start({.stream_lists = stream_lists});
    const AskedRequest first = server_.Expect("GET", "/api/v1/pods");
    const auto refused = std::chrono::steady_clock::now();
    first.Refuse(429, "TooManyRequests", "too many requests", 1);
    EXPECT_EQ(listener_.WaitForProblem(), Interruption("too many requests"));
    const AskedRequest second = server_.Expect("GET", "/api/v1/pods");
    // Without it the pause would be of a few milliseconds.
    EXPECT_GE(std::chrono::steady_clock::now() - refused, std::chrono::seconds(1));
    EXPECT_EQ(Parameter(second, "sendInitialEvents").has_value(), stream_lists) << "it did not refuse that";
    Destroy();
  }
}

TEST_F(KindFeedTest, AServerThatCannotBeReachedIsTriedAgain) {
  Start();
  ExpectList();
  server_.server().Cut();
  EXPECT_TRUE(listener_.WaitForProblem().starts_with("Interrupted Pod: "));
  for (const std::string why : {"etcd is away", "starting"}) {
    ExpectList().Refuse(500, "InternalError", "no list by a watch");
    server_.Expect("GET", "/api/v1/pods?limit=500").Refuse(503, "ServiceUnavailable", why);
    EXPECT_EQ(listener_.WaitForProblem(), Interruption(why));
  }
  const AskedRequest list = ExpectList();
  list.Begin(kProtobuf);
  list.Write(InitialEnd(1));
  EXPECT_EQ(listener_.WaitForProblem(), "Recovered Pod: ");
}

TEST_F(KindFeedTest, AServerThatFailsToStreamAListIsAskedForPagesThisTime) {
  Start();
  const AskedRequest streamed = ExpectList();
  streamed.Begin(kProtobuf);
  streamed.Write(Event("ADDED", Pod("a", 1)) +
                 ErrorEvent(500, "InternalError", "required storage feature RequestWatchProgress is disabled"));
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=500"), 3, "", {Pod("a", 1), Pod("b", 2)});
  EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/a 1", "set default/b 2"}));
  EXPECT_EQ(listener_.WaitForSynced(), 1);
  ExpectWatch(3).Refuse(410, "Expired", kExpired);
  ExpectList();
}

TEST_F(KindFeedTest, AServerWhoseCacheDoesNotCatchUpIsAskedForPagesThisTime) {
  Start();
  ExpectList().Refuse(504, "Timeout", "Too large resource version: 3, current: 2");
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=500"), 3, "", {Pod("a", 1)});
  EXPECT_EQ(listener_.WaitForSynced(), 1);
  ExpectWatch(3).Refuse(410, "Expired", kExpired);
  ExpectList();
}

TEST_F(KindFeedTest, WhoMayNotWatchAtFirstMayBeAllowedToLater) {
  Start();
  ExpectList().Refuse(403, "Forbidden", "the authorizer is not ready");
  server_.Expect("GET", "/api/v1/pods?limit=500").Refuse(403, "Forbidden", "the authorizer is not ready");
  EXPECT_EQ(listener_.WaitForProblem(), Interruption("the authorizer is not ready"));
  ExpectList();
}

TEST_F(KindFeedTest, AVersionThatTheServerFailsToGoOnFromIsGivenUp) {
  const AskedRequest watch = StartWithTwoPods();
  watch.Finish();
  for (int i = 0; i < 5; ++i) ExpectWatch(3).Refuse(500, "InternalError", "no such bucket");
  ExpectList();
}

// A frame whose event cannot be read, whatever comes after it.
std::string UnreadableEvent() { return test::WatchFrame("MODIFIED", "no envelope"); }

TEST_F(KindFeedTest, AnEventThatCannotBeReadIsPassedOverByAList) {
  const AskedRequest first = StartWithTwoPods();
  first.Write(UnreadableEvent());
  for (int i = 0; i < 4; ++i) {
    const AskedRequest again = ExpectWatch(3);
    again.Begin(kProtobuf);
    again.Write(UnreadableEvent());
  }
  const AskedRequest list = ExpectList();
  list.Begin(kProtobuf);
  list.Write(Event("ADDED", Pod("a", 7)) + Event("ADDED", Pod("b", 2)) + InitialEnd(8));
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 7"});
}

TEST_F(KindFeedTest, AStreamedListThatCannotBeReadIsAskedForInPages) {
  Start();
  const AskedRequest streamed = ExpectList();
  streamed.Begin(kProtobuf);
  streamed.Write(UnreadableEvent());
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=500"), 3, "", {Pod("a", 1)});
  EXPECT_EQ(listener_.WaitForSynced(), 1);
}

TEST_F(KindFeedTest, PagesOfLargeObjectsAreShorter) {
  Start({.stream_lists = false, .page = 4, .max_answer = 1'000});
  AskedRequest page = server_.Expect("GET", "/api/v1/pods?limit=4");
  page.Answer(200, std::string(2'000, 'x'), {{"content-type", kProtobuf}});
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=2"), 3, "more", {Pod("a", 1)});
  AnswerPage(server_.Expect("GET", "/api/v1/pods?limit=2&continue=more"), 3, "", {Pod("b", 2)});
  EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/a 1", "set default/b 2"}));
}

TEST_F(KindFeedTest, GarbageInAWatchIsAnInterruption) {
  const AskedRequest first = StartWithTwoPods();
  first.Write(Event("MODIFIED", Pod("a", 5)) + std::string("\xff\xff\xff\xff", 4));
  EXPECT_TRUE(listener_.WaitForProblem().starts_with("Interrupted Pod: a frame of"));
  const AskedRequest second = ExpectWatch(5);
  second.Begin(kProtobuf);
  second.Write(Event("MODIFIED", Pod("a", 6)));
  EXPECT_EQ(listener_.WaitForChanges(2), (Texts{"set default/a 5", "set default/a 6"}));
}

TEST_F(KindFeedTest, StatesThatWereToldAlreadyAreNotToldAgain) {
  const AskedRequest watch = StartWithTwoPods();
  watch.Write(Event("MODIFIED", Pod("a", 1)) + Event("MODIFIED", Pod("b", 1)) + Event("DELETED", Pod("b", 1)) +
              Event("DELETED", Pod("never", 4)) + Event("MODIFIED", Pod("a", 5)));
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 5"});
  EXPECT_EQ(Told("b"), "2");
}

TEST_F(KindFeedTest, VersionsNeedNotBeNumbers) {
  Start();
  const AskedRequest watch = ExpectList();
  watch.Begin(kProtobuf);
  watch.Write(Event("ADDED", {.name = "a", .uid = "u", .version = "x9"}) +
              Event("BOOKMARK", {.version = "y/1", .initial_events_end = true}) +
              Event("MODIFIED", {.name = "a", .uid = "u", .version = "x1"}) +
              Event("DELETED", {.name = "a", .uid = "u", .version = "x0"}));
  EXPECT_EQ(listener_.WaitForChanges(3), (Texts{"set default/a x9", "set default/a x1", "deleted default/a x1"}));
  watch.Finish();
  EXPECT_EQ(Parameter(server_.Expect("GET", "/api/v1/pods?watch=true"), "resourceVersion"), "x0");
}

TEST_F(KindFeedTest, AnObjectThatCannotBeReadIsAProblemOfItsOwn) {
  // A quantity that is none.
  const auto unreadable = [](const TestObject& pod) {
    const std::string entry = test::Part(1, "cpu") + test::Part(2, test::Part(1, "much"));
    const std::string container = test::Part(1, "main") + test::Part(8, test::Part(2, entry));
    return test::WatchFrame(
        "ADDED", test::Enveloped("v1", "Pod", test::PodMessage(pod) + test::Part(2, test::Part(2, container))));
  };
  Start();
  const AskedRequest watch = ExpectList();
  watch.Begin(kProtobuf);
  watch.Write(Event("ADDED", Pod("a", 1)) + unreadable(Pod("b", 2)) + InitialEnd(3));
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 1"});
  EXPECT_EQ(listener_.WaitForSynced(), 1) << "one bad object does not stop the scheduler";
  EXPECT_TRUE(listener_.WaitForProblem().starts_with("Unreadable Pod default/b: "));
  watch.Write(unreadable(Pod("a", 4)));
  EXPECT_TRUE(listener_.WaitForProblem().starts_with("Unreadable Pod default/a: "));
  EXPECT_EQ(Told("a"), "1") << "its last readable state";
  watch.Write(Event("MODIFIED", Pod("a", 5)) + Event("DELETED", Pod("b", 6)));
  EXPECT_EQ(listener_.WaitForProblem(), "Readable Pod default/a: ");
  EXPECT_EQ(listener_.WaitForProblem(), "Readable Pod default/b: ");
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set default/a 5"});
  EXPECT_EQ(feed_->stats().undecodable, 2u);
}

TEST_F(KindFeedTest, ACustomKindIsLookedUpFirst) {
  Start({}, "Tenant.example.com");
  server_.Expect("GET", "/apis/example.com").Refuse(404, "NotFound", "not installed");
  EXPECT_EQ(listener_.WaitForProblem(), "Interrupted Tenant.example.com: not installed");
  server_.Expect("GET", "/apis/example.com").Answer(200, "{}");
  EXPECT_EQ(listener_.WaitForProblem(),
            "Interrupted Tenant.example.com: discovery: the group names no preferred version");
  const std::string group = R"({"preferredVersion":{"groupVersion":"example.com/v2"}})";
  server_.Expect("GET", "/apis/example.com").Answer(200, group);
  server_.Expect("GET", "/apis/example.com/v2").Refuse(503, "", "starting");
  EXPECT_EQ(listener_.WaitForProblem(), "Interrupted Tenant.example.com: starting");
  server_.Expect("GET", "/apis/example.com").Answer(200, group);
  server_.Expect("GET", "/apis/example.com/v2").Answer(200, R"({"groupVersion":"example.com/v2","resources":[]})");
  EXPECT_EQ(listener_.WaitForProblem(),
            "Interrupted Tenant.example.com: example.com/v2 has no kind Tenant.example.com");
  server_.Expect("GET", "/apis/example.com").Answer(200, group);
  server_.Expect("GET", "/apis/example.com/v2")
      .Answer(200, R"({"groupVersion":"example.com/v2","resources":[{"name":"tenants","kind":"Tenant"}]})");
  const AskedRequest watch = server_.Expect("GET", "/apis/example.com/v2/tenants?watch=true");
  EXPECT_EQ(watch.Header("accept"), Texts{"application/json"}) << "there is no protobuf of custom kinds";
  watch.Begin("application/json");
  watch.Write(R"({"type":"ADDED","object":{"apiVersion":"example.com/v2","kind":"Tenant",)"
              R"("metadata":{"name":"t","uid":"u","resourceVersion":"4"}}})"
              "\n");
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set t 4"});
}

TEST_F(KindFeedTest, ListsOfCustomKindsComeInPagesToo) {
  Start({.stream_lists = false}, "Tenant.example.com");
  server_.Expect("GET", "/apis/example.com").Answer(200, R"({"preferredVersion":{"groupVersion":"example.com/v2"}})");
  server_.Expect("GET", "/apis/example.com/v2")
      .Answer(200, R"({"groupVersion":"example.com/v2","resources":[{"name":"tenants","kind":"Tenant"}]})");
  server_.Expect("GET", "/apis/example.com/v2/tenants?limit=500")
      .Answer(200, R"({"kind":"TenantList","apiVersion":"example.com/v2","metadata":{"resourceVersion":"9"},)"
                   R"("items":[{"metadata":{"name":"t","uid":"u","resourceVersion":"4"}}]})");
  EXPECT_EQ(listener_.WaitForChanges(1), Texts{"set t 4"});
  const std::optional<api::Object> told = feed_->Find({"Tenant.example.com", "", "t"});
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(api::KindOf(*told), "Tenant.example.com");
}

TEST_F(KindFeedTest, AfterCloseNothingIsTold) {
  const std::vector<std::pair<std::string, std::function<void()>>> moments = {
      {"before its watch is answered", [&] { Start(), ExpectList(); }},
      {"within its list",
       [&] {
         Start();
         const AskedRequest list = ExpectList();
         list.Begin(kProtobuf);
         list.Write(Event("ADDED", Pod("a", 1)));
         listener_.WaitForChanges(1);
       }},
      {"in its watch", [&] { StartWithTwoPods(); }},
      {"before its page is answered",
       [&] {
         Start({.stream_lists = false});
         server_.Expect("GET", "/api/v1/pods?limit=500");
       }},
      {"in a pause",
       [&] {
         Start();
         ExpectList().Refuse(500, "InternalError", "away", 3'600);
         listener_.WaitForProblem();
       }},
      {"in discovery",
       [&] {
         Start({}, "Tenant.example.com");
         server_.Expect("GET", "/apis/example.com");
       }},
  };
  for (const auto& [when, come_there] : moments) {
    SCOPED_TRACE(when);
    come_there();
    const size_t problems = listener_.problems();
    loop_.Do([&] { feed_->Close(); });
    loop_.Do([&] { client_->Close(); });
    loop_.Do([&] { feed_->Close(); });
    EXPECT_EQ(listener_.changes(), Texts());
    EXPECT_EQ(listener_.problems(), problems);
    Destroy();
  }
}

TEST_F(KindFeedTest, AnyThreadFindsWhatWasToldLast) {
  const AskedRequest watch = StartWithTwoPods();
  std::atomic<bool> done = false;
  std::atomic<int> missed = 0;
  std::jthread reader([&] {
    while (!done) {
      if (Told("a").empty() || !Told("never").empty()) ++missed;
      if (feed_->stats().relists != 1) ++missed;
    }
  });
  for (int version = 4; version < 100; ++version) watch.Write(Event("MODIFIED", Pod("a", version)));
  listener_.WaitForChanges(96);
  done = true;
  reader.join();
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(Told("a"), "99");
}

}  // namespace
}  // namespace berth::kube
