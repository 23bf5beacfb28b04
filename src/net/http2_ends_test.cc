// SPDX-License-Identifier: Apache-2.0
// How exchanges end that the client gives up: timeouts, cancellation, a silent server, a client that goes.
#include "net/http_client.h"
#include "net/test_bed.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

using std::chrono::milliseconds;

void AnswerAll(const std::shared_ptr<ServerStream>& stream) { stream->Respond(200, "answer"); }

void BeginOnly(const std::shared_ptr<ServerStream>& stream) { stream->Begin(200); }

// Leaves the path "/ignored" without an answer.
void AnswerOnly(const std::shared_ptr<ServerStream>& stream) {
  if (stream->request.path != "/ignored") AnswerAll(stream);
}

TEST(ExchangeTimeout, OfARequestThatWasSentIsUnknown) {
  ClientBed bed({}, AnswerOnly);
  ASSERT_EQ(bed.Get("/answered")->WaitForEnd(), ExchangeEnd::Complete);  // the connection is open
  const auto response = bed.Send({.path = "/ignored"}, milliseconds(20));
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_NE(response->error().find("timed out after 20ms"), std::string::npos) << response->error();
  EXPECT_EQ(bed.stats().under_way, 0u);
}

TEST(ExchangeTimeout, OfARequestThatWaitsIsNotSent) {
  ClientBed bed({.max_streams = 1}, BeginOnly);
  const auto first = bed.Get("/");
  first->WaitForHead();
  const auto second = bed.Send({.path = "/"}, milliseconds(20));
  EXPECT_EQ(second->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_FALSE(first->ended());
  EXPECT_EQ(bed.stats().waiting, 0u);
}

TEST(ExchangeTimeout, FreesTheStreamForTheNext) {
  ClientBed bed({.max_streams = 1}, AnswerOnly);
  ASSERT_EQ(bed.Get("/answered")->WaitForEnd(), ExchangeEnd::Complete);
  const auto first = bed.Send({.path = "/ignored"}, milliseconds(20));
  const auto second = bed.Get("/answered");
  EXPECT_EQ(first->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(second->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(bed.server().connections(), 1u);
}

TEST(ExchangeTimeout, IsForgottenWhenTheResponseComesInTime) {
  ClientBed bed({}, AnswerAll);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(bed.Send({.path = "/"}, std::chrono::minutes(1))->WaitForEnd(), ExchangeEnd::Complete);
  }
}

std::shared_ptr<CollectedResponse> SendIf(ClientBed& bed, const std::string& path, std::function<bool()> may_send) {
  auto response = std::make_shared<CollectedResponse>();
  bed.Do([&] { bed.client().Send({.path = path}, response, {.may_send = std::move(may_send)}); });
  return response;
}

TEST(TooLate, WhenItsTurnComesARequestIsNotSent) {
  ClientBed bed({}, AnswerAll);
  EXPECT_EQ(SendIf(bed, "/", [] { return false; })->WaitForEnd(), ExchangeEnd::NotSent);
}

// As when the process was stopped between the request's turn and the system call that writes it.
TEST(TooLate, WhenItIsWrittenItBreaksTheConnectionAndNeverArrives) {
  for (const bool tls : {true, false}) {
    std::atomic<int> arrived = 0;
    ClientBed bed({.tls = tls}, [&](const auto& stream) {
      if (stream->request.path == "/late") ++arrived;
      AnswerAll(stream);
    });
    ASSERT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);  // the connection is open
    const auto late = SendIf(bed, "/late", [first = true]() mutable { return std::exchange(first, false); });
    EXPECT_EQ(late->WaitForEnd(), ExchangeEnd::Unknown);
    EXPECT_NE(late->error().find("too late to send"), std::string::npos) << late->error();
    EXPECT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);
    EXPECT_EQ(bed.server().connections(), 2u);
    EXPECT_EQ(arrived, 0);
  }
}

TEST(TooLate, WhatTheSystemHasIsNotAskedAboutAgain) {
  ClientBed bed({}, AnswerOnly);
  bool may_send = true;
  const auto waits = SendIf(bed, "/ignored", [&] { return may_send; });
  ASSERT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);
  bed.Do([&] { may_send = false; });
  EXPECT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_FALSE(waits->ended());
  EXPECT_EQ(bed.server().connections(), 1u);
}

// The server's window has no room for all of the body.
TEST(TooLate, TheRestOfARequestIsAskedAboutToo) {
  ClientBed bed({.tls = false}, AnswerAll);
  ASSERT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);
  bool may_send = true;
  const auto response = std::make_shared<CollectedResponse>();
  bed.server().Freeze();
  bed.Do([&] {
    bed.client().Send({.method = "POST", .path = "/", .body = std::string(300'000, 'x')}, response,
                      {.may_send = [&] { return may_send; }});
  });
  bed.Do([] {});  // it is begun
  bed.Do([&] { may_send = false; });
  bed.Get("/");  // for which there is room
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_NE(response->error().find("too late to send"), std::string::npos) << response->error();
}

TEST(ConnectTimeout, IsToldWithTheStepThatTookTooLong) {
  ClientBed bed({.client = {.connect_timeout = milliseconds(200)}}, AnswerAll);
  bed.server().Freeze();
  const auto response = bed.Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_NE(response->error().find("timed out after 200ms in the TLS handshake"), std::string::npos)
      << response->error();
}

TEST(ConnectTimeout, CoversAServerThatDoesNotGreet) {
  ClientBed bed({.tls = false, .client = {.connect_timeout = milliseconds(200)}}, AnswerAll);
  bed.server().Freeze();
  const auto response = bed.Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_NE(response->error().find("timed out after 200ms waiting for the server's HTTP/2 settings"), std::string::npos)
      << response->error();
}

TEST(KeepAlive, AServerThatStopsAnsweringIsGivenUp) {
  ClientBed bed({.client = {.ping_after = milliseconds(50), .ping_timeout = milliseconds(50)}}, BeginOnly);
  const auto response = bed.Get("/watch");
  response->WaitForHead();
  bed.server().Freeze();
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_NE(response->error().find("no answer to a PING within 50ms"), std::string::npos) << response->error();
}

TEST(KeepAlive, ASilentServerThatAnswersIsKept) {
  std::shared_ptr<ServerStream> watch;
  ClientBed bed({.client = {.ping_after = milliseconds(1), .ping_timeout = std::chrono::minutes(1)}},
                [&](const auto& stream) {
                  watch = stream;
                  stream->Begin(200);
                });
  const auto response = bed.Get("/watch");
  response->WaitForHead();
  // Long enough for many PINGs.
  std::promise<void> later;
  bed.Do([&] { bed.loop().After(milliseconds(100), [&] { later.set_value(); }); });
  later.get_future().wait();
  bed.server().Post([&] {
    watch->Write("still there");
    watch->Finish();
  });
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_EQ(bed.server().connections(), 1u);
}

TEST(Cancel, SilencesAnExchangeUnderWayAndTellsTheServer) {
  std::shared_ptr<ServerStream> watch;
  ClientBed bed({.max_streams = 1}, [&](const auto& stream) {
    if (stream->request.path != "/watch") return AnswerAll(stream);
    watch = stream;
    stream->Begin(200);
  });
  HttpClient::ExchangeId id = 0;
  const auto canceled = bed.Send({.path = "/watch"}, {}, &id);
  canceled->WaitForHead();
  bed.Do([&] { bed.client().Cancel(id); });
  // With one stream allowed, the next is answered only if the first was given up on both sides.
  EXPECT_EQ(bed.Get("/other")->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_FALSE(canceled->ended());
  EXPECT_EQ(bed.stats().under_way, 0u);
}

TEST(Cancel, TakesAnExchangeThatWaitsOutOfTheOrder) {
  std::vector<std::string> seen;
  std::shared_ptr<ServerStream> held;
  ClientBed bed({.max_streams = 1}, [&](const auto& stream) {
    seen.push_back(stream->request.path);
    if (held != nullptr) return AnswerAll(stream);
    held = stream;
    BeginOnly(stream);
  });
  const auto first = bed.Get("/1");
  first->WaitForHead();
  HttpClient::ExchangeId id = 0;
  const auto second = bed.Send({.path = "/2"}, {}, &id);
  const auto third = bed.Get("/3");
  bed.Do([&] {
    bed.client().Cancel(id);
    bed.client().Cancel(id);
  });
  bed.server().Post([&] { held->Finish(); });
  EXPECT_EQ(third->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_FALSE(second->ended());
  EXPECT_EQ(first->WaitForEnd(), ExchangeEnd::Complete);
  bed.StopServer();
  EXPECT_EQ(seen, (std::vector<std::string>{"/1", "/3"}));
}

// Does something at the first piece of its response.
class Acting : public CollectedResponse {
 public:
  explicit Acting(std::function<void()> act) : act_(std::move(act)) {}
  void TakeBody(std::string_view piece) override {
    CollectedResponse::TakeBody(piece);
    if (const auto act = std::exchange(act_, nullptr)) act();
  }

 private:
  std::function<void()> act_;
};

TEST(Cancel, MayBeCalledByTheExchangesOwnHandler) {
  ClientBed bed({}, [](const auto& stream) { stream->Respond(200, std::string(1 << 20, 'x')); });
  HttpClient::ExchangeId id = 0;
  const auto canceled = std::make_shared<Acting>([&] { bed.client().Cancel(id); });
  bed.Do([&] { id = bed.client().Send({.path = "/"}, canceled); });
  canceled->WaitForBody(1);
  EXPECT_EQ(bed.Get("/")->WaitForEnd(), ExchangeEnd::Complete);
  EXPECT_FALSE(canceled->ended());
  EXPECT_LT(canceled->body().size(), size_t{1} << 20);
}

TEST(Close, EndsWhatIsUnderWayAsUnknownAndWhatWaitsAsNotSent) {
  ClientBed bed({.max_streams = 1}, BeginOnly);
  const auto first = bed.Get("/1");
  first->WaitForHead();
  const auto second = bed.Get("/2");
  bed.Do([&] { bed.client().Close(); });
  EXPECT_EQ(first->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(second->WaitForEnd(), ExchangeEnd::NotSent);
  const auto third = bed.Get("/3");
  EXPECT_EQ(third->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_EQ(third->error(), "the client is closed");
}

TEST(Close, MayComeWhileTheConnectionIsBeingMade) {
  ClientBed bed({}, AnswerAll);
  bed.server().Freeze();
  const auto response = bed.Get("/");
  bed.Do([] {});  // it is being connected
  bed.Do([&] { bed.client().Close(); });
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
}

TEST(Close, MayBeCalledByAHandler) {
  ClientBed bed({}, AnswerAll);
  const auto closing = std::make_shared<Acting>([&] { bed.client().Close(); });
  bed.Do([&] { bed.client().Send({.path = "/"}, closing); });
  EXPECT_EQ(closing->WaitForEnd(), ExchangeEnd::Unknown);
}

TEST(Destruction, SilencesEverythingAlsoFromAHandler) {
  ClientBed bed({.max_streams = 2}, AnswerAll);
  std::promise<void> gone;
  const auto destroying = std::make_shared<Acting>([&] {
    bed.DestroyClient();
    gone.set_value();
  });
  const auto under_way = std::make_shared<CollectedResponse>();
  const auto waiting = std::make_shared<CollectedResponse>();
  bed.Do([&] {
    bed.client().Send({.path = "/"}, destroying);
    bed.client().Send({.path = "/"}, under_way, {.timeout = std::chrono::minutes(1)});
    bed.client().Send({.path = "/"}, waiting);
  });
  gone.get_future().wait();
  bed.Do([] {});
  EXPECT_FALSE(destroying->ended());
  EXPECT_FALSE(under_way->ended());
  EXPECT_FALSE(waiting->ended());
}

TEST(Destruction, ByTheHandlerOfAFailedConnection) {
  ClientBed bed({}, AnswerAll);
  bed.StopServer();
  class Destroying : public CollectedResponse {
   public:
    explicit Destroying(ClientBed& bed) : bed_(bed) {}
    void TakeEnd(ExchangeEnd end, const std::string& error) override {
      bed_.DestroyClient();
      CollectedResponse::TakeEnd(end, error);
    }

   private:
    ClientBed& bed_;
  };
  const auto first = std::make_shared<Destroying>(bed);
  const auto second = std::make_shared<CollectedResponse>();
  bed.Do([&] {
    bed.client().Send({.path = "/"}, first);
    bed.client().Send({.path = "/"}, second);
  });
  EXPECT_EQ(first->WaitForEnd(), ExchangeEnd::NotSent);
  bed.Do([] {});
  EXPECT_FALSE(second->ended());
}

}  // namespace
}  // namespace berth::net
