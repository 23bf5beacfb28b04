// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"
#include "net/http_server.h"
#include "net/test_http2_frames.h"
#include "net/test_http_server.h"

#include <chrono>
#include <future>
#include <utility>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

// HTTP/2, by the client that API servers are asked with.
class Http2ServerTest : public testing::Test, protected HttpServerBed {
 protected:
  ~Http2ServerTest() override {
    thread_.Do([&] { client_.reset(); });
  }
  std::shared_ptr<CollectedResponse> Send(Request request) {
    auto response = std::make_shared<CollectedResponse>();
    thread_.Do([&] {
      if (client_ == nullptr) {
        Endpoint endpoint = {.host = "127.0.0.1", .port = server_->port()};
        endpoint.tls = TlsClientContext::Make({.ca = authority_.certificate()}).value();
        client_ = std::make_unique<HttpClient>(thread_.loop(), std::move(endpoint));
      }
      client_->Send(std::move(request), response);
    });
    return response;
  }
  uint64_t connections() {
    uint64_t count = 0;
    thread_.Do([&] { count = client_->stats().connections; });
    return count;
  }
  std::unique_ptr<HttpClient> client_;
};

TEST_F(Http2ServerTest, AnswersManyRequestsOnOneConnection) {
  Serve(EchoRequest);
  std::vector<std::shared_ptr<CollectedResponse>> responses;
  for (int i = 0; i < 300; ++i) {
    responses.push_back(Send({.method = "POST", .path = "/" + std::to_string(i) + "?x", .body = "!"}));
  }
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(responses[static_cast<size_t>(i)]->WaitForEnd(), ExchangeEnd::Complete);
    EXPECT_EQ(responses[static_cast<size_t>(i)]->body(), "POST /" + std::to_string(i) + "!");
  }
  EXPECT_EQ(connections(), 1u);
}

TEST_F(Http2ServerTest, LargeResponsesArriveWhole) {
  const std::string large(5'000'000, 'x');
  Serve([&](const ServerRequest& request, const Responder& respond) {
    EXPECT_EQ(request.http_major, 2);
    EXPECT_EQ(request.Header("accept"), "text/plain");
    respond({.body = large});
  });
  const auto response = Send({.path = "/", .headers = {{"accept", "text/plain"}}});
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(response->body(), large);
  EXPECT_EQ(response->WaitForHead().Header("content-length"), std::to_string(large.size()));
  EXPECT_NE(response->WaitForHead().Header("date"), "");
}

TEST_F(Http2ServerTest, LimitsHold) {
  Serve(EchoRequest, {}, {.limits = {.max_header_bytes = 1000, .max_body_bytes = 100}});
  const auto wide = Send({.path = "/", .headers = {{"x", std::string(2000, 'x')}}});
  EXPECT_EQ(wide->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(wide->status(), 431);
  EXPECT_EQ(Send({.method = "PUT", .path = "/", .body = std::string(101, 'x')})->WaitForEnd(), ExchangeEnd::Unknown);
  const auto wrong = Send({.path = "/%zz"});
  EXPECT_EQ(wrong->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(wrong->status(), 400);
  EXPECT_EQ(Send({.method = "PUT", .path = "/", .body = std::string(100, 'x')})->WaitForEnd(), ExchangeEnd::Complete);
}

TEST_F(Http2ServerTest, AResponseMayEndTheConnection) {
  Serve([](const ServerRequest&, const Responder& respond) { respond({200, {{"connection", "close"}}, "x"}); });
  EXPECT_EQ(Send({.path = "/"})->WaitForEnd(), ExchangeEnd::Complete);
  WaitForConnections(0);
  EXPECT_EQ(Send({.path = "/"})->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(connections(), 2u);
}

TEST_F(Http2ServerTest, AHeadRequestGetsNoBody) {
  Serve(EchoRequest);
  const auto response = Send({.method = "HEAD", .path = "/x"});
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(response->WaitForHead().Header("content-length"), "7");
  EXPECT_EQ(response->body(), "");
}

// Who asks and then opens no window for the answer's body.
class Http2HoldingClientTest : public Http2ServerTest {
 protected:
  void Serve(HttpServerOptions options) {
    HttpServerBed::Serve(
        [&](const ServerRequest& request, const Responder& respond) {
          EchoRequest(request, respond);
          if (!std::exchange(is_answered_, true)) answered_.set_value();
        },
        {}, options);
  }
  TestTlsClientOptions Client() const {
    TestTlsClientOptions options = HttpServerBed::Client();
    options.protocols = {"h2"};
    return options;
  }
  // Sends this, and returns when the answer to it waits to be taken.
  void Ask(TestTlsClient& client, const std::string& bytes) {
    client.Send(bytes);
    answered_.get_future().wait();
    Do([] {});
  }
  size_t open() {
    size_t count = 0;
    Do([&] { count = server_->connections(); });
    return count;
  }

 private:
  std::promise<void> answered_;
  bool is_answered_ = false;
};

TEST_F(Http2HoldingClientTest, IsGivenUpWhateverElseItSends) {
  Serve({.write_timeout = std::chrono::milliseconds(100)});
  TestTlsClient client(Client());
  Ask(client, TestGreeting(0) + TestGet(1));
  const auto begun = std::chrono::steady_clock::now();
  while (open() == 1 && std::chrono::steady_clock::now() - begun < std::chrono::seconds(20)) {
    client.Send(TestFrame(kTestPing, 0, 0, "whatever"));
  }
  EXPECT_EQ(open(), 0u);
}

TEST_F(Http2HoldingClientTest, MakesRoomForOthers) {
  Serve({.max_connections = 1});
  TestTlsClient client(Client());
  Ask(client, TestGreeting(0) + TestGet(1));
  TestTlsClient other(HttpServerBed::Client());
  EXPECT_TRUE(other.connected());
}

}  // namespace
}  // namespace berth::net
