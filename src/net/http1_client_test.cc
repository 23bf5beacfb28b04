// SPDX-License-Identifier: Apache-2.0
// The client and a server that speaks HTTP/1.1 only.
#include "net/http_client.h"
#include "net/test_http_server.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

class Http1ClientTest : public testing::Test {
 protected:
  void Serve(RequestHandler handler) {
    server_.Serve(std::move(handler), {.offers_http2 = false});
    TlsOptions trust;
    trust.skip_verification = true;
    Endpoint endpoint = {
        .host = "127.0.0.1", .port = server_.Client().port, .tls = TlsClientContext::Make(trust).value()};
    thread_.Do([&] { client_ = std::make_unique<HttpClient>(thread_.loop(), std::move(endpoint)); });
  }
  ~Http1ClientTest() override {
    thread_.Do([&] { client_.reset(); });
  }
  std::shared_ptr<CollectedResponse> Send(Request request, HttpClient::ExchangeId* id = nullptr,
                                          std::optional<Duration> timeout = {}) {
    auto response = std::make_shared<CollectedResponse>();
    thread_.Do([&] {
      const auto sent = client_->Send(std::move(request), response, {.timeout = timeout});
      if (id != nullptr) *id = sent;
    });
    return response;
  }
  uint64_t Connections() {
    uint64_t connections = 0;
    thread_.Do([&] { connections = client_->stats().connections; });
    return connections;
  }

  HttpServerBed server_;
  TestLoopThread thread_;
  std::unique_ptr<HttpClient> client_;
};

TEST_F(Http1ClientTest, AConnectionServesOneRequestAfterTheOther) {
  Serve(EchoRequest);
  for (int i = 0; i < 10; ++i) {
    const auto response = Send({.method = "POST", .path = "/a", .body = std::to_string(i)});
    ASSERT_EQ(response->WaitForEnd(), ExchangeEnd::Complete) << response->error();
    EXPECT_EQ(response->body(), "POST /a" + std::to_string(i));
  }
  EXPECT_EQ(Connections(), 1u);
}

TEST_F(Http1ClientTest, RequestsAtOnceHaveConnectionsOfTheirOwn) {
  std::vector<Responder> held;  // on the server's loop
  Serve([&](const ServerRequest& request, const Responder& respond) {
    if (request.path == "/watch") return held.push_back(respond);
    EchoRequest(request, respond);
  });
  std::vector<std::shared_ptr<CollectedResponse>> watches;
  for (int i = 0; i < 5; ++i) watches.push_back(Send({.path = "/watch"}));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Send({.path = "/other"})->WaitForEnd(), ExchangeEnd::Complete) << "no watch holds it up";
  }
  EXPECT_EQ(Connections(), 6u);
  server_.Do([&] {
    for (const Responder& respond : held) respond({.body = "over"});
  });
  for (const auto& watch : watches) EXPECT_EQ(watch->WaitForEnd(), ExchangeEnd::Complete);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Send({.path = "/other"})->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(Connections(), 6u) << "those that are free serve again";
}

TEST_F(Http1ClientTest, WhatIsCancelledOrTooLateTakesItsConnectionAlong) {
  std::vector<Responder> held;
  Serve([&](const ServerRequest& request, const Responder& respond) {
    if (request.path == "/held") return held.push_back(respond);
    EchoRequest(request, respond);
  });
  const auto late = Send({.path = "/held"}, nullptr, std::chrono::milliseconds(100));
  EXPECT_EQ(late->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(Send({.path = "/"})->WaitForEnd(), ExchangeEnd::Complete);
  HttpClient::ExchangeId id = 0;
  const auto canceled = Send({.path = "/held"}, &id);
  thread_.Do([&] { client_->Cancel(id); });
  EXPECT_EQ(Send({.path = "/"})->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_FALSE(canceled->ended());
  server_.WaitForConnections(1);
}

TEST_F(Http1ClientTest, CloseEndsAllOfThem) {
  std::vector<Responder> held;
  Serve([&](const ServerRequest& /*request*/, const Responder& respond) { held.push_back(respond); });
  const auto one = Send({.path = "/"});
  const auto other = Send({.path = "/"});
  while (Connections() < 2) {
  }
  server_.WaitForConnections(2);
  thread_.Do([&] { client_->Close(); });
  EXPECT_NE(one->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_NE(other->WaitForEnd(), ExchangeEnd::Complete);
  server_.WaitForConnections(0);
}

}  // namespace
}  // namespace berth::net
