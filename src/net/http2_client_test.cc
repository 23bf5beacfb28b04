// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"
#include "net/test_bed.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

constexpr uint32_t kRefusedStream = 7;
constexpr uint32_t kInternalError = 2;

// Answers with what was asked.
void Echo(const std::shared_ptr<ServerStream>& stream) {
  const Request& request = stream->request;
  stream->Respond(200, request.method + " " + request.path + " " + request.body, {{"x-answer", "yes"}});
}

TEST(HttpClient, SendsARequestAndReceivesTheResponse) {
  ClientBed bed({}, Echo);
  const auto response = bed.Send({.method = "POST", .path = "/a?b=c", .headers = {{"accept", "x"}}, .body = "hello"});
  ASSERT_EQ(response->WaitForEnd(), ExchangeEnd::Complete) << response->error();
  EXPECT_EQ(response->status(), 200);
  EXPECT_EQ(response->WaitForHead().Header("x-answer"), "yes");
  EXPECT_EQ(response->WaitForHead().Header("x-question"), "");
  EXPECT_EQ(response->body(), "POST /a?b=c hello");
}

TEST(HttpClient, SpeaksInClearTextToo) {
  ClientBed bed({.tls = false}, Echo);
  const auto response = bed.Get("/");
  ASSERT_EQ(response->WaitForEnd(), ExchangeEnd::Complete) << response->error();
  EXPECT_EQ(response->body(), "GET / ");
}

TEST(HttpClient, TheServerSeesAuthorityHeadersAndLength) {
  Headers seen;
  ClientBed bed({}, [&](const auto& stream) {
    seen = stream->request.headers;
    stream->Respond(204, "");
  });
  const auto response =
      bed.Send({.method = "POST", .path = "/", .headers = {{"authorization", "Bearer t"}}, .body = "12345"});
  ASSERT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(response->status(), 204);
  const Headers expected = {{":scheme", "https"},
                            {":authority", "127.0.0.1:" + std::to_string(bed.server().port())},
                            {"authorization", "Bearer t"},
                            {"content-length", "5"}};
  EXPECT_EQ(seen, expected);
}

TEST(HttpClient, AThousandRequestsGoOverAHundredStreams) {
  std::atomic<size_t> most = 0;
  std::vector<std::shared_ptr<ServerStream>> held;
  size_t answered = 0;
  // The server answers only when as many are open as it allows, or all have come.
  ClientBed bed({}, [&](const auto& stream) {
    held.push_back(stream);
    most = std::max(most.load(), held.size());
    if (held.size() < 100) return;
    answered += held.size();
    for (const auto& each : held) Echo(each);
    held.clear();
  });
  std::vector<Request> requests;
  for (int i = 0; i < 1000; ++i) requests.push_back({.method = "PUT", .path = "/", .body = std::to_string(i)});
  const auto responses = bed.SendAll(requests);
  for (size_t i = 0; i < responses.size(); ++i) {
    ASSERT_EQ(responses[i]->WaitForEnd(), ExchangeEnd::Complete) << responses[i]->error();
    ASSERT_EQ(responses[i]->body(), "PUT / " + std::to_string(i));
  }
  EXPECT_EQ(most, 100u);
  EXPECT_EQ(bed.server().connections(), 1u);
  EXPECT_EQ(bed.stats().waiting, 0u);
  EXPECT_EQ(bed.stats().under_way, 0u);
}

TEST(HttpClient, RequestsThatWaitAreSentInOrder) {
  std::vector<std::string> order;
  ClientBed bed({.max_streams = 1}, [&](const auto& stream) {
    order.push_back(stream->request.path);
    stream->Respond(200, "");
  });
  std::vector<Request> requests;
  for (int i = 0; i < 20; ++i) requests.push_back({.path = "/" + std::to_string(i)});
  for (const auto& response : bed.SendAll(requests)) ASSERT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(order[i], requests[i].path);
}

TEST(HttpClient, ALargeResponseLetsOthersThrough) {
  const std::string large(20 << 20, 'x');
  ClientBed bed({}, [&](const auto& stream) {
    if (stream->request.path == "/large")
      stream->Respond(200, large);
    else
      Echo(stream);
  });
  const auto responses = bed.SendAll({{.path = "/large"}, {.path = "/small"}});
  ASSERT_EQ(responses[1]->WaitForEnd(), ExchangeEnd::Complete) << responses[1]->error();
  ASSERT_EQ(responses[0]->WaitForEnd(), ExchangeEnd::Complete) << responses[0]->error();
  EXPECT_TRUE(responses[0]->body() == large);
}

TEST(HttpClient, ALargeRequestIsSentWhole) {
  ClientBed bed({}, [](const auto& stream) { stream->Respond(200, std::to_string(stream->request.body.size())); });
  const auto responses =
      bed.SendAll({{.method = "POST", .path = "/", .body = std::string(20 << 20, 'x')}, {.path = "/"}});
  ASSERT_EQ(responses[0]->WaitForEnd(), ExchangeEnd::Complete) << responses[0]->error();
  EXPECT_EQ(responses[0]->body(), std::to_string(20 << 20));
  EXPECT_EQ(responses[1]->WaitForEnd(), ExchangeEnd::Complete);
}

TEST(HttpClient, PiecesOfAStreamArriveAsTheyAreSent) {
  std::shared_ptr<ServerStream> watch;
  ClientBed bed({}, [&](const auto& stream) {
    watch = stream;
    stream->Begin(200);
  });
  const auto response = bed.Get("/watch");
  EXPECT_EQ(response->WaitForHead().status, 200);
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    const std::string piece = "event " + std::to_string(i);
    bed.server().Post([&watch, piece] { watch->Write(piece); });
    expected += piece;
    EXPECT_EQ(response->WaitForBody(expected.size()), expected);
    EXPECT_FALSE(response->ended());
  }
  EXPECT_EQ(bed.stats().under_way, 1u);
  bed.server().Post([&] { watch->Finish(); });
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
}

TEST(HttpClient, WithAGoAwayEveryTenRequestsNoneIsLostAndNoneTwice) {
  std::multiset<std::string> acted;
  ClientBed bed({.goaway_after = 10}, [&](const auto& stream) {
    acted.insert(stream->request.path);
    stream->Respond(200, "");
  });
  constexpr int kRequests = 2000;
  std::vector<Request> todo;
  for (int i = 0; i < kRequests; ++i) todo.push_back({.path = "/" + std::to_string(i)});
  size_t sent_again = 0;
  while (!todo.empty()) {
    const auto responses = bed.SendAll(todo);
    std::vector<Request> again;
    for (size_t i = 0; i < todo.size(); ++i) {
      const ExchangeEnd end = responses[i]->WaitForEnd();
      ASSERT_NE(end, ExchangeEnd::Unknown) << responses[i]->error();
      if (end == ExchangeEnd::NotSent) again.push_back(todo[i]);
    }
    sent_again += again.size();
    todo = std::move(again);
  }
  bed.StopServer();
  EXPECT_GT(sent_again, 0u);
  ASSERT_EQ(acted.size(), static_cast<size_t>(kRequests));
  for (int i = 0; i < kRequests; ++i) ASSERT_EQ(acted.count("/" + std::to_string(i)), 1u) << i;
}

// Sends its request until the server has acted on it.
class Persistent : public CollectedResponse, public std::enable_shared_from_this<Persistent> {
 public:
  Persistent(HttpClient& client, Request request) : client_(client), request_(std::move(request)) {}
  void Send() { client_.Send(request_, shared_from_this()); }
  void TakeEnd(ExchangeEnd end, const std::string& error) override {
    if (end == ExchangeEnd::NotSent) return Send();
    CollectedResponse::TakeEnd(end, error);
  }

 private:
  HttpClient& client_;
  Request request_;
};

TEST(HttpClient, AHandlerMaySendAgainWhenItHearsOfTheEnd) {
  std::atomic<int> acted = 0;
  ClientBed bed({.goaway_after = 3}, [&](const auto& stream) {
    ++acted;
    stream->Respond(200, "");
  });
  std::vector<std::shared_ptr<Persistent>> all;
  bed.Do([&] {
    for (int i = 0; i < 100; ++i) {
      all.push_back(std::make_shared<Persistent>(bed.client(), Request{.path = "/"}));
      all.back()->Send();
    }
  });
  for (const auto& each : all) ASSERT_EQ(each->WaitForEnd(), ExchangeEnd::Complete) << each->error();
  EXPECT_EQ(acted, 100);
}

TEST(HttpClient, AServerThatLeavesBeforeAnythingWasBegunIsNotTriedAgain) {
  ClientBed bed({.goaway_after = 0}, Echo);
  for (const auto& response : bed.SendAll({{.path = "/1"}, {.path = "/2"}})) {
    EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
    EXPECT_NE(response->error().find("the server leaves the connection (GOAWAY)"), std::string::npos)
        << response->error();
  }
  EXPECT_EQ(bed.stats().connections, 1u);
}

// Does not return from the first piece until it is released.
class Blocking : public CollectedResponse {
 public:
  void TakeBody(std::string_view piece) override {
    CollectedResponse::TakeBody(piece);
    if (!std::exchange(waited_, true)) released_.get_future().wait();
  }
  void Release() { released_.set_value(); }

 private:
  std::promise<void> released_;
  bool waited_ = false;
};

TEST(HttpClient, AHandlerThatDoesNotReturnHoldsTheServerBack) {
  constexpr size_t kWindow = 65'535;
  constexpr size_t kSize = 10 << 20;
  std::shared_ptr<ServerStream> large;
  ClientBed bed({.client = {.stream_window = kWindow}}, [&](const auto& stream) {
    large = stream;
    stream->Respond(200, std::string(kSize, 'x'));
  });
  const auto response = std::make_shared<Blocking>();
  bed.Do([&] { bed.client().Send({.path = "/"}, response); });
  response->WaitForBody(1);
  size_t sent = 0;
  while (sent < kWindow) {
    std::promise<size_t> now;
    bed.server().Post([&] { now.set_value(large->sent()); });
    sent = now.get_future().get();
  }
  EXPECT_EQ(sent, kWindow);
  response->Release();
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(response->body().size(), kSize);
}

TEST(HttpClient, ExchangesUnderWayAreFinishedOnTheConnectionThatTheServerLeaves) {
  std::shared_ptr<ServerStream> watch;
  ClientBed bed({}, [&](const auto& stream) {
    if (stream->request.path != "/watch") return Echo(stream);
    watch = stream;
    stream->Begin(200);
    stream->GoAway(stream->id());
  });
  const auto response = bed.Get("/watch");
  response->WaitForHead();
  EXPECT_EQ(bed.Get("/other")->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(bed.server().connections(), 2u);
  EXPECT_FALSE(response->ended());
  bed.server().Post([&] {
    watch->Write("last");
    watch->Finish();
  });
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(response->body(), "last");
}

TEST(HttpClient, ARefusedStreamWasNotSentAnotherResetIsUnknown) {
  ClientBed bed({}, [](const auto& stream) {
    stream->Reset(stream->request.path == "/refused" ? kRefusedStream : kInternalError);
  });
  const auto refused = bed.Get("/refused");
  const auto broken = bed.Get("/broken");
  EXPECT_EQ(refused->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_EQ(broken->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(bed.server().connections(), 1u);
}

TEST(HttpClient, ACutConnectionLeavesTheOutcomeUnknownAndTheNextRequestOpensAnother) {
  std::atomic<bool> cut = true;
  ClientBed bed({}, [&](const auto& stream) {
    if (cut.exchange(false))
      bed.server().Cut();
    else
      Echo(stream);
  });
  const auto lost = bed.Get("/");
  EXPECT_EQ(lost->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_NE(lost->error().find("connection to 127.0.0.1:"), std::string::npos) << lost->error();
  EXPECT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(bed.stats().connections, 2u);
}

TEST(HttpClient, RequestsThatWaitForAStreamOutliveTheConnection) {
  std::atomic<bool> cut = true;
  ClientBed bed({.max_streams = 1}, [&](const auto& stream) {
    if (cut.exchange(false))
      bed.server().Cut();
    else
      Echo(stream);
  });
  const auto responses = bed.SendAll({{.path = "/1"}, {.path = "/2"}, {.path = "/3"}});
  EXPECT_EQ(responses[0]->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(responses[1]->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(responses[2]->WaitForEnd(), ExchangeEnd::Complete);
}

TEST(HttpClient, AServerThatRestartsOnItsPortIsFoundAgain) {
  ClientBed bed({}, Echo);
  EXPECT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);
  bed.StopServer();
  bed.StartServer();
  // The client may or may not have heard yet that the first is gone.
  const auto response = bed.Get("/");
  if (response->WaitForEnd() != ExchangeEnd::Complete) {
    EXPECT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);
  }
  EXPECT_EQ(bed.server().connections(), 1u);
}

TEST(HttpClient, ARefusedConnectionEndsAllThatWaitAsNotSent) {
  ClientBed bed({}, Echo);
  const std::string target = "127.0.0.1:" + std::to_string(bed.server().port());
  bed.StopServer();
  for (const auto& response : bed.SendAll({{.path = "/1"}, {.path = "/2"}})) {
    EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
    EXPECT_EQ(response->error(), "connect to " + target + ": cannot connect: Connection refused");
  }
  EXPECT_EQ(bed.stats().connections, 1u);
}

TEST(HttpClient, ANameThatDoesNotResolveIsAnError) {
  ClientBed bed({.host = "no-such-host.invalid"}, Echo);
  const auto response = bed.Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_NE(response->error().find("cannot resolve the name no-such-host.invalid: "), std::string::npos)
      << response->error();
}

TEST(HttpClient, AHeaderThatIsTooLargeEndsTheExchangeOnly) {
  ClientBed bed({.client = {.max_header_bytes = 4096}}, [](const auto& stream) {
    if (stream->request.path == "/large")
      stream->Respond(200, "", {{"x", std::string(5000, 'x')}});
    else
      Echo(stream);
  });
  const auto large = bed.Get("/large");
  EXPECT_EQ(large->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(large->error(), "the header of the response is larger than 4096 bytes");
  EXPECT_EQ(bed.Get("/small")->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(bed.server().connections(), 1u);
}

TEST(HttpClient, ARequestWhoseHeaderIsTooLargeIsNotSent) {
  ClientBed bed({}, Echo);
  const auto large = bed.Send({.path = "/", .headers = {{"x", std::string(100'000, 'x')}}});
  EXPECT_EQ(large->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_EQ(bed.Get("/small")->WaitForEnd(), ExchangeEnd::Complete);
}

}  // namespace
}  // namespace berth::net
