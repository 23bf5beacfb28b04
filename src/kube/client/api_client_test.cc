// SPDX-License-Identifier: Apache-2.0
#include "kube/client/api_client.h"

#include "kube/access/test_files.h"
#include "kube/client/test_api_server.h"
#include "kube/proto/envelope.h"
#include "kube/proto/test_messages.h"
#include "net/test_certificates.h"
#include "net/test_loop_thread.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using net::CollectedResponse;
using net::ExchangeEnd;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Response = std::shared_ptr<CollectedResponse>;

// Remembers what it is told, as text. On the loop; read when the loop is not running, or on it.
struct NotedExchanges final : ApiObserver {
  void Exchanged(const ToldExchange& told) override {
    std::string text = fmt::format("{} {} {}", told.method, told.host, told.code);
    if (!told.end) text += " has not ended";
    if (told.end) text += fmt::format(" {} out", told.end->sent);
    if (told.end && told.end->received) text += fmt::format(" {} in", *told.end->received);
    exchanged.push_back(std::move(text));
  }
  void Throttled(std::string_view method, std::string_view /*host*/, Duration waited) override {
    throttled.push_back(fmt::format("{} {}", method, waited > Duration(0) ? "waits" : "goes at once"));
  }
  std::vector<std::string> exchanged;
  std::vector<std::string> throttled;
};

// A client on a loop of its own, and a server that answers as the test says.
class ApiClientTest : public testing::Test {
 protected:
  ~ApiClientTest() override {
    loop_.Do([&] { client_.reset(); });
  }

  // `change` may change how the server is reached, and as whom.
  void Make(ApiClientOptions options = {}, const std::function<void(ClusterAccess&)>& change = nullptr) {
    access_ = server().access();
    if (change) change(access_);
    credentials_.emplace(access_.credentials, files_.surroundings(), clock_);
    loop_.Do([&] { client_ = std::make_unique<ApiClient>(loop_.loop(), access_, *credentials_, options, &observer_); });
  }
  // The server shows a certificate, and wants one of the client.
  void MakeServerWithTls() {
    net::TestServerOptions options;
    options.tls = authority_.IssueServer("IP:127.0.0.1");
    options.client_ca = authority_.certificate();
    server_ = std::make_unique<TestApiServer>(options);
  }
  // The client shows the certificate in a file that is read again every minute.
  void MakeClientWithTls() {
    Make({}, [&](ClusterAccess& access) {
      access.trust.ca = authority_.certificate();
      access.credentials.certificate_file = "/client.crt";
      access.credentials.key_file = "/client.key";
    });
  }
  void WriteCertificate(const std::string& name) {
    const net::CertifiedKey client = authority_.IssueClient(name);
    WriteFile("/client.crt", client.certificate);
    WriteFile("/client.key", client.key);
  }
  // On the loop, which reads files.
  void WriteFile(const std::string& path, const std::string& content) {
    loop_.Do([&] { files_.Write(path, content); });
  }

  Response Send(ApiRequest request, ApiClient::StreamId* id = nullptr) {
    auto response = std::make_shared<CollectedResponse>();
    loop_.Do([&] {
      const ApiClient::StreamId sent = client_->Open(std::move(request), response);
      EXPECT_FALSE(response->ended()) << "inside the call";
      if (id != nullptr) *id = sent;
    });
    return response;
  }
  Response Get(const std::string& path) { return Send({.path = path}); }
  // Asks, lets the server answer 200, and returns what the server was asked.
  AskedRequest Exchange(ApiRequest request) {
    const std::string method = request.method;
    const Response response = Send(std::move(request));
    AskedRequest asked = server().Expect(method, "/");
    asked.Answer(200, "{}");
    EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
    return asked;
  }
  TestApiServer& server() {
    if (server_ == nullptr) server_ = std::make_unique<TestApiServer>();
    return *server_;
  }

  net::TestAuthority authority_;
  std::unique_ptr<TestApiServer> server_;
  TestClock clock_;
  TestFiles files_;
  NotedExchanges observer_;
  ClusterAccess access_;
  std::optional<Credentials> credentials_;
  net::TestLoopThread loop_;
  std::unique_ptr<ApiClient> client_;
};

TEST_F(ApiClientTest, SaysWhoAsksAndWhatIsUnderstood) {
  Make({.user_agent = "kube-scheduler/v1.36.4"}, [](ClusterAccess& access) {
    access.server.path_prefix = "/clusters/blue";
    access.credentials.token = "secret";
  });
  const AskedRequest read = Exchange({.path = "/api/v1/pods?limit=5", .accept = "application/vnd.kubernetes.protobuf"});
  EXPECT_EQ(read.path(), "/clusters/blue/api/v1/pods?limit=5");
  EXPECT_EQ(read.Header("authorization"), std::vector<std::string>{"Bearer secret"});
  EXPECT_EQ(read.Header("user-agent"), std::vector<std::string>{"kube-scheduler/v1.36.4"});
  EXPECT_EQ(read.Header("accept"), std::vector<std::string>{"application/vnd.kubernetes.protobuf"});
  EXPECT_EQ(read.Header("content-type"), std::vector<std::string>());
  const AskedRequest write =
      Exchange({.method = "PATCH", .path = "/x", .body = R"({"a":1})", .content_type = "application/merge-patch+json"});
  EXPECT_EQ(write.body(), R"({"a":1})");
  EXPECT_EQ(write.Header("content-type"), std::vector<std::string>{"application/merge-patch+json"});
  EXPECT_EQ(write.Header("content-length"), std::vector<std::string>{"7"});
  EXPECT_EQ(write.Header("accept"), std::vector<std::string>{"application/json"});
}

TEST_F(ApiClientTest, ShowsTheCredentialsThatWereConfigured) {
  struct Case {
    std::string what;
    std::function<void(ClusterAccess&)> change;
    std::vector<std::string> authorization;
  };
  const std::vector<Case> cases = {
      {"none", [](ClusterAccess&) {}, {}},
      {"a token", [](ClusterAccess& access) { access.credentials.token = "t"; }, {"Bearer t"}},
      {"a name and a password",
       [](ClusterAccess& access) {
         access.credentials.basic = Url::User{"joe", "pw"};
       },
       {"Basic am9lOnB3"}},
      {"what the URL says",
       [](ClusterAccess& access) {
         access.server.user = Url::User{"joe", "pw"};
       },
       {"Basic am9lOnB3"}},
      {"a token rather than what the URL says",
       [](ClusterAccess& access) {
         access.server.user = Url::User{"joe", "pw"};
         access.credentials.token = "t";
       },
       {"Bearer t"}},
  };
  for (const Case& each : cases) {
    Make({}, each.change);
    EXPECT_EQ(Exchange({.path = "/"}).Header("authorization"), each.authorization) << each.what;
  }
}

TEST_F(ApiClientTest, ImpersonatesByHeadersThatMayRepeat) {
  Make({}, [](ClusterAccess& access) {
    access.impersonation = {{"impersonate-user", "jane"}, {"impersonate-group", "dev"}, {"impersonate-group", "ops"}};
  });
  const AskedRequest asked = Exchange({.path = "/"});
  EXPECT_EQ(asked.Header("impersonate-user"), std::vector<std::string>{"jane"});
  EXPECT_EQ(asked.Header("impersonate-group"), (std::vector<std::string>{"dev", "ops"}));
}

TEST_F(ApiClientTest, ATokenThatWasRejectedIsReadAgainForTheNextRequest) {
  WriteFile("/token", "old");
  Make({}, [](ClusterAccess& access) { access.credentials.token_file = "/token"; });
  EXPECT_EQ(Exchange({.path = "/"}).Header("authorization"), std::vector<std::string>{"Bearer old"});
  WriteFile("/token", "new");
  const Response refused = Get("/");
  const AskedRequest asked = server().Expect("GET", "/");
  EXPECT_EQ(asked.Header("authorization"), std::vector<std::string>{"Bearer old"}) << "a minute has not passed";
  asked.Refuse(401, "Unauthorized", "Unauthorized");
  EXPECT_EQ(refused->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(refused->status(), 401) << "nothing is tried again";
  EXPECT_EQ(Exchange({.path = "/"}).Header("authorization"), std::vector<std::string>{"Bearer new"});
}

TEST_F(ApiClientTest, WithoutCredentialsNothingIsSent) {
  Make({}, [](ClusterAccess& access) { access.credentials.token_file = "/missing"; });
  const Response response = Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_EQ(response->error(), "failed to read token file \"/missing\": no such file or directory");
  EXPECT_EQ(server().server().connections(), 0u);
}

TEST_F(ApiClientTest, ACertificateThatCannotBeUsedIsAnError) {
  MakeServerWithTls();
  WriteFile("/client.crt", FakeCertificate("joe"));
  WriteFile("/client.key", FakeKey("joe"));
  MakeClientWithTls();
  const Response response = Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_NE(response->error(), "");
  WriteCertificate("jane");
  clock_.Advance(seconds(60));
  EXPECT_EQ(Exchange({.path = "/"}).client_name(), "jane");
}

TEST_F(ApiClientTest, ANewCertificateReplacesTheConnection) {
  MakeServerWithTls();
  WriteCertificate("first");
  MakeClientWithTls();
  EXPECT_EQ(Exchange({.path = "/"}).client_name(), "first");
  EXPECT_EQ(Exchange({.path = "/"}).client_name(), "first");
  EXPECT_EQ(server().server().connections(), 1u);
  // What is under way goes on where it was begun.
  const Response watch = Get("/watch");
  const AskedRequest watched = server().Expect("GET", "/watch");
  watched.Begin("application/json");
  WriteCertificate("second");
  clock_.Advance(seconds(60));
  EXPECT_EQ(Exchange({.path = "/"}).client_name(), "second");
  EXPECT_EQ(server().server().connections(), 2u);
  watched.Write("still here");
  EXPECT_EQ(watch->WaitForBody(10), "still here");
  watched.Finish();
  EXPECT_EQ(watch->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(Exchange({.path = "/"}).client_name(), "second");
}

TEST_F(ApiClientTest, CloseEndsWhatIsUnderWayOnAReplacedConnectionToo) {
  MakeServerWithTls();
  WriteCertificate("first");
  MakeClientWithTls();
  const Response on_first = Get("/first");
  server().Expect("GET", "/first");
  WriteCertificate("second");
  clock_.Advance(seconds(60));
  const Response on_second = Get("/second");
  server().Expect("GET", "/second");
  loop_.Do([&] { client_->Close(); });
  EXPECT_EQ(on_second->WaitForEnd(), ExchangeEnd::Unknown);
  ASSERT_TRUE(on_first->ended());
  EXPECT_EQ(on_first->WaitForEnd(), ExchangeEnd::Unknown);
}

TEST_F(ApiClientTest, RequestsBeyondTheBurstWaitTheirTurn) {
  Make({.qps = 100, .burst = 2});
  std::vector<Response> responses;
  for (const char* path : {"/1", "/2", "/3", "/4"}) responses.push_back(Get(path));
  for (const char* path : {"/1", "/2", "/3", "/4"}) {
    const AskedRequest asked = server().Expect("GET", "/");
    EXPECT_EQ(asked.path(), path);
    asked.Answer(200, "");
  }
  for (const Response& response : responses) EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
}

// One request in a quarter of an hour: those beyond the burst are not sent while the test runs.
class SlowApiClientTest : public ApiClientTest {
 protected:
  SlowApiClientTest() { Make({.qps = 0.001, .burst = 1}); }
};

TEST_F(SlowApiClientTest, TheObserverHearsWhoWaitsAndHowItEnds) {
  const std::string host = fmt::format("127.0.0.1:{}", server().server().port());
  Exchange({.method = "POST", .path = "/", .body = "12345"});
  Get("/waits");
  loop_.Do([&] {
    client_->Close();
    EXPECT_EQ(observer_.throttled, (std::vector<std::string>{"POST goes at once", "GET waits"}));
    EXPECT_EQ(observer_.exchanged,
              (std::vector<std::string>{"POST " + host + " 200 5 out 2 in", "GET " + host + " <error> 0 out"}));
    EXPECT_EQ(client_->host(), host);
  });
}

TEST_F(SlowApiClientTest, WatchesDoNotWait) {
  Get("/takes-the-only-token");
  server().Expect("GET", "/takes-the-only-token");
  Exchange({.path = "/watch", .timeout = std::nullopt});
  loop_.Do([&] { EXPECT_EQ(observer_.throttled.size(), 1U); });
}

TEST_F(ApiClientTest, TheObserverHearsOfAWatchOnceAndNoTime) {
  Make();
  const std::string host = fmt::format("127.0.0.1:{}", server().server().port());
  Exchange({.path = "/", .timeout = std::nullopt});
  loop_.Do([&] { EXPECT_EQ(observer_.exchanged, std::vector<std::string>{"GET " + host + " 200 has not ended"}); });
}

TEST_F(SlowApiClientTest, CloseEndsWhatWaitsAndWhatIsUnderWay) {
  const Response sent = Get("/sent");
  const Response waits = Get("/waits");
  server().Expect("GET", "/sent");
  loop_.Do([&] { client_->Close(); });
  EXPECT_EQ(sent->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(waits->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_EQ(waits->error(), "the client is closed");
  EXPECT_EQ(server().untaken(), std::vector<std::string>());
}

TEST_F(SlowApiClientTest, ACancelledRequestIsNotSentAndTellsNothing) {
  ApiClient::StreamId id = 0;
  const Response sent = Get("/sent");
  const Response waits = Send({.path = "/waits"}, &id);
  server().Expect("GET", "/sent");
  loop_.Do([&] {
    client_->Cancel(id);
    client_->Cancel(id);
    client_->Cancel(4'711);
    client_->Close();
  });
  EXPECT_EQ(sent->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_FALSE(waits->ended());
}

TEST_F(ApiClientTest, AfterCloseNothingIsSent) {
  Make();
  loop_.Do([&] { client_->Close(); });
  const Response response = Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_EQ(response->error(), "the client is closed");
  EXPECT_EQ(server().server().connections(), 0u);
}

TEST_F(ApiClientTest, AHandlerThatSendsWhileTheClientClosesIsToldSo) {
  Make();
  const auto again = std::make_shared<CollectedResponse>();
  loop_.Do([&] {
    client_->Send({.path = "/first"}, [&](ApiResponse& response) {
      EXPECT_EQ(response.end, ExchangeEnd::Unknown);
      client_->Open({.path = "/again"}, again);
    });
  });
  server().Expect("GET", "/first");
  loop_.Do([&] { client_->Close(); });
  EXPECT_EQ(again->WaitForEnd(), ExchangeEnd::NotSent);
}

TEST_F(ApiClientTest, ADestroyedClientTellsNothing) {
  Make({.qps = 0.001, .burst = 2});
  const Response sent = Get("/sent");
  const Response begun = Get("/begun");
  const Response waits = Get("/waits");
  server().Expect("GET", "/sent");
  server().Expect("GET", "/begun").Begin("text/plain");
  begun->WaitForHead();
  loop_.Do([&] { client_.reset(); });
  loop_.Do([] {});  // whatever was still posted has run
  for (const Response& each : {sent, begun, waits}) EXPECT_FALSE(each->ended());
}

TEST_F(ApiClientTest, AClientMayBeDestroyedByItsHandler) {
  Make();
  const Response other = Get("/other");
  server().Expect("GET", "/other");
  std::promise<void> done;
  loop_.Do([&] {
    client_->Send({.path = "/last"}, [&](ApiResponse& response) {
      EXPECT_EQ(response.body, "{}");
      client_.reset();
      done.set_value();
    });
  });
  server().Expect("GET", "/last").Answer(200, "{}");
  done.get_future().wait();
  EXPECT_FALSE(other->ended());
}

// Cancels its stream as soon as it hears of it.
struct Canceller final : net::ResponseHandler {
  void TakeHead(const net::ResponseHead& /*head*/) override {
    if (in_head) cancel();
  }
  void TakeBody(std::string_view /*piece*/) override {
    EXPECT_FALSE(in_head);
    cancel();
  }
  void TakeEnd(ExchangeEnd /*end*/, const std::string& /*error*/) override { ADD_FAILURE() << "it was cancelled"; }
  bool in_head = false;
  std::function<void()> cancel;
};

TEST_F(ApiClientTest, AHandlerMayCancelItsOwnStream) {
  Make();
  for (const bool in_head : {true, false}) {
    std::promise<void> cancelled;
    loop_.Do([&] {
      auto handler = std::make_shared<Canceller>();
      handler->in_head = in_head;
      auto id = std::make_shared<ApiClient::StreamId>();
      handler->cancel = [&, id] {
        client_->Cancel(*id);
        cancelled.set_value();
      };
      *id = client_->Open({.path = "/"}, handler);
    });
    server().Expect("GET", "/").Answer(200, "body");
    cancelled.get_future().wait();
    Exchange({.path = "/others"});
  }
  EXPECT_EQ(server().server().connections(), 1u);
}

TEST_F(ApiClientTest, WhatIsTooLateIsNotSent) {
  Make({.qps = 50, .burst = 1});
  const Response first = Get("/first");
  // Its turn comes in 20 ms.
  const Response late = Send({.path = "/late", .may_send = [] { return false; }});
  const Response in_time = Send({.path = "/in-time", .may_send = [] { return true; }});
  server().Expect("GET", "/first").Answer(200, "");
  EXPECT_EQ(late->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_EQ(late->error(), "too late to be sent");
  server().Expect("GET", "/in-time").Answer(200, "");
  EXPECT_EQ(in_time->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(first->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(server().untaken(), std::vector<std::string>());
}

TEST_F(ApiClientTest, WhatWaitsTooLongForAStreamIsNotSent) {
  server_ = std::make_unique<TestApiServer>(net::TestServerOptions{.max_streams = 1});
  Make();
  const Response first = Get("/first");
  const AskedRequest asked = server().Expect("GET", "/first");
  std::atomic<bool> may_send = true;
  const Response late = Send({.path = "/late", .may_send = [&] { return may_send.load(); }});
  may_send = false;
  asked.Answer(200, "");
  EXPECT_EQ(late->WaitForEnd(), ExchangeEnd::NotSent);
  Exchange({.path = "/next"});
  EXPECT_EQ(server().untaken(), std::vector<std::string>());
}

TEST_F(ApiClientTest, AnAnswerThatDoesNotComeInTimeIsUnknown) {
  Make();
  Exchange({.path = "/"});  // the connection is open
  const Response response = Send({.path = "/", .timeout = milliseconds(200)});
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Unknown);
}

TEST_F(ApiClientTest, TheTimeLimitMayCoverTheWaitForTheRateLimit) {
  Make({.qps = 0.001, .burst = 1});
  const Response first = Get("/first");
  const Response late = Send({.path = "/late", .timeout = seconds(10), .timeout_covers_wait = true});
  EXPECT_EQ(late->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_EQ(late->error(), "the rate limit would delay it beyond its time limit");
  server().Expect("GET", "/first").Answer(200, "");
  EXPECT_EQ(first->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(server().untaken(), std::vector<std::string>());
}

// What waits for its turn has that much less time for the answer.
TEST_F(ApiClientTest, TheWaitForTheRateLimitTakesFromTheTimeLimit) {
  Make({.qps = 10, .burst = 1});
  Exchange({.path = "/"});
  const Response waited = Send({.path = "/", .timeout = milliseconds(500), .timeout_covers_wait = true});
  server().Expect("GET", "/");
  EXPECT_EQ(waited->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(waited->error().find("timed out after 500ms"), std::string::npos) << waited->error();
}

TEST_F(ApiClientTest, AThreadMayWaitForTheAnswer) {
  Make();
  std::jthread answers([&] { server().Expect("POST", "/x").Refuse(409, "AlreadyExists", "x already exists"); });
  const ApiResponse response = SendAndWait(*client_, {.method = "POST", .path = "/x"});
  EXPECT_FALSE(response.ok());
  EXPECT_EQ(ErrorOf(response).reason, "AlreadyExists");
}

ApiResponse Answered(int status, std::string body = {}, std::string content_type = "application/json") {
  ApiResponse response;
  response.head.status = status;
  response.head.headers = {{"content-type", std::move(content_type)}};
  response.body = std::move(body);
  return response;
}

TEST(ApiErrorTest, IsWhatTheServerSays) {
  struct Case {
    ApiResponse response;
    ApiError error;
  };
  const std::string status = test::Enveloped("v1", "Status", test::StatusMessage(410, "Expired", "too old"));
  const std::vector<Case> cases = {
      {Answered(404, StatusJson(404, "NotFound", "pods \\\"a\\\" not found")),
       {404, "NotFound", "pods \"a\" not found"}},
      {Answered(410, status, std::string(proto::kContentType)), {410, "Expired", "too old"}},
      {Answered(410, "k8s\0 garbage", std::string(proto::kContentType)), {410, "", "the server answered 410: k8s"}},
      {Answered(502, "<html>Bad Gateway</html>", "text/html"),
       {502, "", "the server answered 502: <html>Bad Gateway</html>"}},
      {Answered(500, "{"), {500, "", "the server answered 500: {"}},
      {Answered(500, R"({"message":7,"reason":[]})"),
       {500, "", R"(the server answered 500: {"message":7,"reason":[]})"}},
      {Answered(503), {503, "", "the server answered 503"}},
      {{.end = ExchangeEnd::Unknown, .error = "connection reset"}, {0, "", "connection reset"}},
  };
  for (const Case& each : cases) {
    const ApiError error = ErrorOf(each.response);
    EXPECT_EQ(error.status, each.error.status) << each.error.message;
    EXPECT_EQ(error.reason, each.error.reason) << each.error.message;
    EXPECT_EQ(error.message, each.error.message);
  }
  EXPECT_LT(ErrorOf(Answered(500, std::string(1'000, 'x'))).message.size(), 300u);
}

TEST(ApiErrorTest, SaysWhetherItIsWorthTryingAgain) {
  struct Case {
    ApiResponse response;
    ErrorCode code;
  };
  const std::vector<Case> cases = {
      {Answered(400), ErrorCode::Invalid},
      {Answered(401), ErrorCode::Unavailable},
      {Answered(403), ErrorCode::Invalid},
      {Answered(404), ErrorCode::NotFound},
      {Answered(409), ErrorCode::Conflict},
      {Answered(409, StatusJson(409, "Conflict", "")), ErrorCode::Conflict},
      {Answered(409, StatusJson(409, "AlreadyExists", "")), ErrorCode::AlreadyExists},
      {Answered(410), ErrorCode::Expired},
      {Answered(422), ErrorCode::Invalid},
      {Answered(429), ErrorCode::Unavailable},
      {Answered(500), ErrorCode::Unknown},
      {Answered(502), ErrorCode::Unknown},
      {Answered(503), ErrorCode::Unavailable},
      {Answered(504), ErrorCode::Unknown},
      {{.end = ExchangeEnd::NotSent}, ErrorCode::Unavailable},
      {{.end = ExchangeEnd::Unknown}, ErrorCode::Unknown},
      {{.end = ExchangeEnd::Canceled}, ErrorCode::Canceled},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(ToError(each.response).code, each.code)
        << each.response.head.status << " " << static_cast<int>(each.response.end);
  }
}

TEST(ApiResponseTest, RetryAfterIsInWholeSecondsUpToAnHour) {
  const std::vector<std::pair<std::string, std::optional<Duration>>> cases = {
      {"", std::nullopt},
      {"0", seconds(0)},
      {"7", seconds(7)},
      {"3600", seconds(3'600)},
      {"99999", seconds(3'600)},
      {"-1", std::nullopt},
      {"1.5", std::nullopt},
      {"soon", std::nullopt},
      {"99999999999999999999", std::nullopt},
      {"Wed, 21 Oct 2026 07:28:00 GMT", std::nullopt},
  };
  for (const auto& [header, expected] : cases) {
    ApiResponse response = Answered(429);
    if (!header.empty()) response.head.headers.emplace_back("retry-after", header);
    EXPECT_EQ(response.RetryAfter(), expected) << header;
  }
}

}  // namespace
}  // namespace berth::kube
