// SPDX-License-Identifier: Apache-2.0
#include "net/http1_session.h"

#include "net/test_loop_thread.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

class Http1SessionTest : public testing::Test {
 protected:
  std::shared_ptr<CollectedResponse> Ask(Request request) {
    auto response = std::make_shared<CollectedResponse>();
    const auto stream = session_.Start(std::move(request), response);
    EXPECT_TRUE(stream.has_value());
    stream_ = stream.value();
    return response;
  }
  std::string Produced(size_t limit = 1 << 20) {
    std::string out;
    EXPECT_TRUE(session_.Produce(out, limit).has_value());
    return out;
  }
  // A GET that was sent whole.
  std::shared_ptr<CollectedResponse> Get() {
    auto response = Ask({.path = "/"});
    Produced();
    return response;
  }
  std::string ErrorOf(const std::string& bytes) {
    const Result<void> received = session_.Receive(bytes);
    return received ? "" : received.error().message;
  }

  Http1Session session_{{.authority = "kube:6443", .max_header_bytes = 1'000}};
  ClientSession::StreamId stream_ = 0;
};

TEST_F(Http1SessionTest, WritesRequestsAsTheyAre) {
  EXPECT_TRUE(session_.CanStart());
  Ask({.path = "/api?x=%20", .headers = {{"accept", "a/b"}}});
  EXPECT_FALSE(session_.CanStart());
  EXPECT_EQ(Produced(), "GET /api?x=%20 HTTP/1.1\r\nhost: kube:6443\r\naccept: a/b\r\n\r\n");
  EXPECT_EQ(Produced(), "");
  EXPECT_EQ(ErrorOf("HTTP/1.1 204 No Content\r\n\r\n"), "");
  Ask({.method = "POST", .path = "/", .body = "12345"});
  EXPECT_EQ(Produced(), "POST / HTTP/1.1\r\nhost: kube:6443\r\ncontent-length: 5\r\n\r\n12345");
  EXPECT_EQ(ErrorOf("HTTP/1.1 204 No Content\r\n\r\n"), "");
  Ask({.method = "DELETE", .path = "/"});
  EXPECT_EQ(Produced(), "DELETE / HTTP/1.1\r\nhost: kube:6443\r\ncontent-length: 0\r\n\r\n");
}

TEST_F(Http1SessionTest, ResponsesMayComeInAnyPieces) {
  const std::string answers =
      "HTTP/1.1 100 Continue\r\n\r\n"
      "HTTP/1.1 201 Created\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello";
  for (size_t size = 1; size <= answers.size(); ++size) {
    const auto response = Get();
    for (size_t at = 0; at < answers.size(); at += size) {
      ASSERT_EQ(ErrorOf(answers.substr(at, size)), "") << "in pieces of " << size;
    }
    ASSERT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
    EXPECT_EQ(response->status(), 201);
    EXPECT_EQ(response->WaitForHead().Header("content-type"), "a/b");
    EXPECT_EQ(response->body(), "hello");
    ASSERT_TRUE(session_.CanStart()) << "the connection serves again";
  }
}

TEST_F(Http1SessionTest, AWatchIsToldAsItComes) {
  const auto response = Get();
  EXPECT_EQ(ErrorOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), "");
  EXPECT_EQ(response->WaitForHead().status, 200);
  EXPECT_EQ(ErrorOf("6\r\nevent;\r\n"), "");
  EXPECT_EQ(response->body(), "event;");
  EXPECT_EQ(ErrorOf("8\r\nanot"), "");
  EXPECT_EQ(response->body(), "event;anot");
  EXPECT_EQ(ErrorOf("her;\r\n0\r\nTrailer: x\r\n\r\n"), "");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(response->body(), "event;another;");
  EXPECT_TRUE(session_.CanStart());
}

TEST_F(Http1SessionTest, ALostConnectionSaysWhetherTheServerMayHaveActed) {
  const auto unsent = Ask({.path = "/"});
  session_.Lose("cut");
  EXPECT_EQ(unsent->WaitForEnd(), ExchangeEnd::NotSent);
  Http1Session begun({.authority = "h"});
  auto response = std::make_shared<CollectedResponse>();
  ASSERT_TRUE(begun.Start({.path = "/"}, response).has_value());
  std::string out;
  ASSERT_TRUE(begun.Produce(out, 1).has_value());
  begun.Lose("cut");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(response->error(), "cut");
  EXPECT_TRUE(begun.over());
}

TEST_F(Http1SessionTest, TheEndOfTheConnectionMayBeTheEndOfTheResponse) {
  const auto whole = Get();
  EXPECT_EQ(ErrorOf("HTTP/1.0 200 OK\r\n\r\nall of it"), "");
  session_.EndOfInput();
  EXPECT_EQ(whole->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_TRUE(session_.over());
  EXPECT_EQ(whole->body(), "all of it");
  for (const std::string cut : {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nConte", "HT",
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"}) {
    Http1Session session({.authority = "h"});
    const auto response = std::make_shared<CollectedResponse>();
    ASSERT_TRUE(session.Start({.path = "/"}, response).has_value());
    std::string out;
    ASSERT_TRUE(session.Produce(out, 1'000).has_value());
    ASSERT_TRUE(session.Receive(cut).has_value());
    session.EndOfInput();
    EXPECT_FALSE(response->ended()) << cut;
    session.Lose("closed");
    EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Unknown) << cut;
  }
}

TEST_F(Http1SessionTest, ALossIsNoEndOfAResponse) {
  const auto response = Get();
  EXPECT_EQ(ErrorOf("HTTP/1.0 200 OK\r\n\r\npart of it"), "");
  session_.Lose("reset");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(response->error(), "reset");
}

// Ends its exchange as soon as the head or a piece of the body has come.
class LosingResponse : public CollectedResponse {
 public:
  LosingResponse(Http1Session& session, bool at_head) : session_(session), at_head_(at_head) {}
  void TakeHead(const ResponseHead& head) override {
    CollectedResponse::TakeHead(head);
    if (at_head_) session_.Lose("enough");
  }
  void TakeBody(std::string_view piece) override {
    CollectedResponse::TakeBody(piece);
    session_.Lose("enough");
  }

 private:
  Http1Session& session_;
  const bool at_head_;
};

TEST_F(Http1SessionTest, AHandlerMayLoseTheConnectionWhileItIsTold) {
  for (const bool at_head : {true, false}) {
    Http1Session session({.authority = "h"});
    const auto response = std::make_shared<LosingResponse>(session, at_head);
    ASSERT_TRUE(session.Start({.path = "/"}, response).has_value());
    std::string out;
    ASSERT_TRUE(session.Produce(out, 1'000).has_value());
    ASSERT_TRUE(session.Receive("HTTP/1.0 200 OK\r\n\r\nall of it").has_value());
    EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Unknown);
    EXPECT_EQ(response->body(), at_head ? "" : "all of it");
    EXPECT_TRUE(session.over());
  }
}

TEST_F(Http1SessionTest, AServerThatClosesIsLeft) {
  const auto response = Get();
  EXPECT_EQ(ErrorOf("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), "");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_TRUE(session_.over());
}

TEST_F(Http1SessionTest, AnAnswerBeforeTheWholeRequestWasSentEndsTheConnection) {
  const auto response = Ask({.method = "POST", .path = "/", .body = std::string(1'000, 'x')});
  Produced(100);
  EXPECT_EQ(ErrorOf("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"), "");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_TRUE(session_.over());
}

TEST_F(Http1SessionTest, WhatIsGivenUpEndsTheConnection) {
  const auto canceled = Get();
  session_.Cancel(stream_);
  EXPECT_FALSE(canceled->ended());
  EXPECT_TRUE(session_.over());
  EXPECT_EQ(ErrorOf("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"), "") << "nobody cares";

  Http1Session session({.authority = "h"});
  const auto ended = std::make_shared<CollectedResponse>();
  const auto stream = session.Start({.path = "/"}, ended);
  session.End(*stream + 1, "another");
  EXPECT_FALSE(ended->ended());
  session.End(*stream, "timed out");
  EXPECT_EQ(ended->WaitForEnd(), ExchangeEnd::NotSent);
  session.End(*stream, "again");
  session.Cancel(*stream);
}

TEST_F(Http1SessionTest, GarbageIsAnError) {
  EXPECT_EQ(ErrorOf("HTTP/1.1 200 OK\r\n\r\n"), "HTTP/1.1: the server sends what nobody asked for");
  for (const std::string garbage : {"PRI * HTTP/2.0\r\n\r\n", "HTTP/1.1 x OK\r\n\r\n", "\x16\x03\x01 and so on",
                                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    Http1Session session({.authority = "h"});
    const auto response = std::make_shared<CollectedResponse>();
    ASSERT_TRUE(session.Start({.path = "/"}, response).has_value());
    std::string out;
    ASSERT_TRUE(session.Produce(out, 1'000).has_value());
    const Result<void> received = session.Receive(garbage);
    ASSERT_FALSE(received.has_value()) << garbage;
    EXPECT_TRUE(received.error().message.starts_with("HTTP/1.1: the response breaks the protocol: ")) << garbage;
  }
}

TEST_F(Http1SessionTest, AHeaderWithoutEndIsAnError) {
  Get();
  EXPECT_EQ(ErrorOf("HTTP/1.1 200 OK\r\nX: " + std::string(2'000, 'x')),
            "HTTP/1.1: the header of the response is larger than 1000 bytes");
}

}  // namespace
}  // namespace berth::net
