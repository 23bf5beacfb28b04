// SPDX-License-Identifier: Apache-2.0
#include "net/http1_server_session.h"

#include <gtest/gtest.h>

namespace berth::net {
namespace {

class Http1ServerSessionTest : public testing::Test, protected ServerSessionEvents {
 protected:
  void TakeRequest(StreamId stream, ServerRequest request) override {
    stream_ = stream;
    requests_.push_back(std::move(request));
  }

  std::string Output() {
    std::string out;
    EXPECT_TRUE(session_.Produce(out, 1 << 20).has_value());
    return out;
  }
  std::string Exchange(const std::string& request, ServerResponse response) {
    EXPECT_TRUE(session_.Receive(request).has_value());
    session_.Respond(stream_, std::move(response));
    return Output();
  }

  std::vector<ServerRequest> requests_;
  StreamId stream_ = 0;
  Http1ServerSession session_{{.max_header_bytes = 1000, .max_body_bytes = 100}, *this, [] { return "now"; }};
};

TEST_F(Http1ServerSessionTest, ARequestIsTakenApart) {
  const std::string answer =
      Exchange("PUT /a%20b/c?d=e%20f HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nx-two: 2\r\nContent-Length: 4\r\n\r\nbody",
               {201, {{"content-type", "text/plain"}}, "done"});
  ASSERT_EQ(requests_.size(), 1u);
  const ServerRequest& request = requests_.front();
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.target, "/a%20b/c?d=e%20f");
  EXPECT_EQ(request.path, "/a b/c");
  EXPECT_EQ(request.query, "d=e%20f");
  EXPECT_EQ(request.body, "body");
  EXPECT_EQ(request.Header("x-two"), "1");
  EXPECT_EQ(request.headers.size(), 4u);
  EXPECT_EQ(answer, "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nDate: now\r\nContent-Length: 4\r\n\r\ndone");
  EXPECT_EQ(session_.state(), ServerSession::State::Idle);
  EXPECT_FALSE(session_.over());
}

TEST_F(Http1ServerSessionTest, BytesMayComeOneByOne) {
  const std::string request = "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (const char byte : request) {
    EXPECT_TRUE(requests_.empty());
    EXPECT_TRUE(session_.Receive({&byte, 1}).has_value());
    EXPECT_NE(session_.state(), ServerSession::State::Idle);
  }
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_.front().body, "abc");
}

TEST_F(Http1ServerSessionTest, TrailersAreNoHeaders) {
  const std::string request =
      "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Remote-User: root\r\n\r\n";
  EXPECT_TRUE(session_.Receive(request).has_value());
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_.front().body, "abc");
  EXPECT_EQ(requests_.front().headers, (Headers{{"host", "h"}, {"transfer-encoding", "chunked"}}));
  session_.Respond(stream_, {});
  Output();
  // Nor do they make up for what the header lacks.
  EXPECT_TRUE(
      session_.Receive("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: h\r\n\r\n").has_value());
  EXPECT_TRUE(Output().starts_with("HTTP/1.1 400 "));
}

TEST_F(Http1ServerSessionTest, RequestsSentAheadWaitForTheirTurn) {
  EXPECT_TRUE(
      session_.Receive("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /").has_value());
  ASSERT_EQ(requests_.size(), 1u);
  session_.Respond(1, {.body = "one"});
  EXPECT_TRUE(Output().ends_with("\r\n\r\none"));
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_EQ(requests_.back().path, "/2");
  session_.Respond(1, {.body = "late"});  // ignored
  EXPECT_EQ(Output(), "");
  session_.Respond(2, {.body = "two"});
  EXPECT_TRUE(Output().ends_with("\r\n\r\ntwo"));
  EXPECT_EQ(session_.state(), ServerSession::State::Receiving);
}

// Whoever asks and asks but takes nothing must not make responses pile up.
TEST_F(Http1ServerSessionTest, ARequestWaitsUntilTheResponseBeforeIsTaken) {
  EXPECT_TRUE(session_.Receive("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n").has_value());
  session_.Respond(1, {.body = std::string(1000, 'x')});
  EXPECT_EQ(session_.state(), ServerSession::State::Sending);
  EXPECT_TRUE(session_.Receive("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n").has_value());
  std::string part;
  EXPECT_TRUE(session_.Produce(part, 500).has_value());
  EXPECT_EQ(session_.response_bytes(), 500u);
  EXPECT_EQ(requests_.size(), 1u);
  EXPECT_EQ(session_.state(), ServerSession::State::Sending);
  Output();
  EXPECT_EQ(requests_.size(), 2u);
  EXPECT_EQ(session_.state(), ServerSession::State::Answering);
}

TEST_F(Http1ServerSessionTest, TheConnectionEndsWhenEitherSideWantsIt) {
  EXPECT_NE(Exchange("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", {}).find("Connection: close\r\n"),
            std::string::npos);
  EXPECT_TRUE(session_.over());
  EXPECT_TRUE(session_.Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n").has_value());
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_F(Http1ServerSessionTest, AResponseMayEndTheConnection) {
  EXPECT_EQ(Exchange("GET / HTTP/1.1\r\nHost: h\r\n\r\n", {200, {{"connection", "close"}}, ""}),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(session_.over());
}

TEST_F(Http1ServerSessionTest, LeavingAnswersWhatWasAsked) {
  EXPECT_TRUE(session_.Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n").has_value());
  session_.Leave();
  EXPECT_FALSE(session_.over());
  session_.Respond(stream_, {});
  EXPECT_FALSE(session_.over());
  EXPECT_NE(Output().find("Connection: close"), std::string::npos);
  EXPECT_TRUE(session_.over());
}

TEST_F(Http1ServerSessionTest, LeavingWithoutARequestIsOverAtOnce) {
  session_.Leave();
  EXPECT_TRUE(session_.over());
}

TEST_F(Http1ServerSessionTest, OldClientsAreAnswered) {
  EXPECT_NE(Exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", {}).find("Connection: keep-alive\r\n"),
            std::string::npos);
  EXPECT_FALSE(session_.over());
  EXPECT_NE(Exchange("GET / HTTP/1.0\r\n\r\n", {}).find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(session_.over());
}

TEST_F(Http1ServerSessionTest, AHeadRequestGetsNoBody) {
  EXPECT_EQ(Exchange("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", {.body = "body"}),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 4\r\n\r\n");
}

TEST_F(Http1ServerSessionTest, AClientThatWaitsForAWordGetsIt) {
  EXPECT_TRUE(
      session_.Receive("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n").has_value());
  EXPECT_EQ(Output(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_TRUE(session_.Receive("o").has_value());
  EXPECT_EQ(Output(), "");
  EXPECT_TRUE(session_.Receive("k").has_value());
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_.front().body, "ok");
}

TEST_F(Http1ServerSessionTest, WhatCannotBeUnderstoodIsRefused) {
  const std::string long_value(2000, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nonsense\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\r\n\r\n", "400 Bad Request: missing required Host header"},
      {"GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", "400 Bad Request"},
      {"GET x HTTP/1.1\r\nHost: h\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/3.0\r\nHost: h\r\n\r\n", "505 HTTP Version Not Supported"},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: " + long_value + "\r\n\r\n", "431 Request Header Fields Too Large"},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n", "413 Request Entity Too Large"},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400 Bad Request"},
  };
  for (const auto& [request, body] : cases) {
    Http1ServerSession session({.max_header_bytes = 1000, .max_body_bytes = 100}, *this);
    EXPECT_TRUE(session.Receive(request).has_value());
    std::string out;
    EXPECT_TRUE(session.Produce(out, 1 << 20).has_value());
    EXPECT_TRUE(out.ends_with("\r\nConnection: close\r\n\r\n" + body)) << request << "\n" << out;
    EXPECT_TRUE(session.over()) << request;
  }
  EXPECT_TRUE(requests_.empty());
}

TEST_F(Http1ServerSessionTest, AClientThatOnlySendsIsGivenUp) {
  EXPECT_TRUE(session_.Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n").has_value());
  EXPECT_TRUE(session_.Receive(std::string(1000, 'x')).has_value());
  EXPECT_FALSE(session_.Receive(std::string(1000, 'x')).has_value());
}

TEST_F(Http1ServerSessionTest, LargeResponsesComeInPieces) {
  EXPECT_TRUE(session_.Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n").has_value());
  session_.Respond(stream_, {.body = std::string(1000, 'x')});
  std::string whole;
  for (std::string out; session_.Produce(out, 300).has_value() && !out.empty(); out.clear()) {
    EXPECT_LE(out.size(), 300u);
    whole += out;
  }
  EXPECT_TRUE(whole.ends_with("\r\n\r\n" + std::string(1000, 'x')));
}

TEST(HttpDate, IsWrittenAsHttpWantsIt) {
  EXPECT_EQ(HttpDate().size(), std::string("Tue, 15 Nov 1994 08:12:31 GMT").size());
  EXPECT_TRUE(HttpDate().ends_with(" GMT"));
}

}  // namespace
}  // namespace berth::net
