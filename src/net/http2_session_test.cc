// SPDX-License-Identifier: Apache-2.0
#include "net/http2_session.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

namespace berth::net {
namespace {

struct Told : ResponseHandler {
  void TakeHead(const ResponseHead& head) override { status = head.status; }
  void TakeBody(std::string_view piece) override { body += piece; }
  void TakeEnd(ExchangeEnd how, const std::string& why) override {
    ASSERT_FALSE(ended);
    ended = true;
    end = how;
    error = why;
  }
  int status = 0;
  std::string body;
  bool ended = false;
  ExchangeEnd end = ExchangeEnd::Canceled;
  std::string error;
};

// The library's server without a socket. It notes which streams have come and says only what a test makes it say.
class Peer {
 public:
  explicit Peer(uint32_t max_streams = 100) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          if (frame->hd.type == NGHTTP2_HEADERS) static_cast<Peer*>(self)->requests.push_back(frame->hd.stream_id);
          if (frame->hd.type == NGHTTP2_RST_STREAM) static_cast<Peer*>(self)->resets.push_back(frame->hd.stream_id);
          if (frame->hd.type == NGHTTP2_WINDOW_UPDATE) ++static_cast<Peer*>(self)->window_updates;
          return 0;
        });
    nghttp2_session_server_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry setting = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max_streams};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &setting, 1);
  }
  ~Peer() { nghttp2_session_del(session); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void Receive(const std::string& bytes) {
    nghttp2_session_mem_recv(session, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::string Say() {
    std::string out;
    const uint8_t* data = nullptr;
    while (const ssize_t count = nghttp2_session_mem_send(session, &data)) {
      out.append(reinterpret_cast<const char*>(data), static_cast<size_t>(count));
    }
    return out;
  }
  void Respond(int32_t stream, const std::string& body) {
    bodies.push_back(std::make_unique<std::string>(body));
    nghttp2_data_provider provider = {};
    provider.source.ptr = bodies.back().get();
    provider.read_callback = [](nghttp2_session*, int32_t, uint8_t* out, size_t size, uint32_t* flags,
                                nghttp2_data_source* source, void*) {
      auto& rest = *static_cast<std::string*>(source->ptr);
      const size_t count = std::min(size, rest.size());
      rest.copy(reinterpret_cast<char*>(out), count);
      rest.erase(0, count);
      if (rest.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
      return static_cast<ssize_t>(count);
    };
    Headers headers = {{":status", "200"}, {"content-type", "text/plain"}};
    nghttp2_submit_response(session, stream, Views(headers).data(), headers.size(), &provider);
  }
  static std::vector<nghttp2_nv> Views(Headers& headers) {
    std::vector<nghttp2_nv> views;
    for (auto& [name, value] : headers) {
      views.push_back({reinterpret_cast<uint8_t*>(name.data()), reinterpret_cast<uint8_t*>(value.data()), name.size(),
                       value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    return views;
  }

  nghttp2_session* session = nullptr;
  std::vector<int32_t> requests;
  std::vector<int32_t> resets;
  int window_updates = 0;
  std::vector<std::unique_ptr<std::string>> bodies;
};

std::string Out(Http2Session& session) {
  std::string out;
  EXPECT_TRUE(session.Produce(out, SIZE_MAX));
  return out;
}

// Lets both sides talk until neither has anything to say.
void Talk(Http2Session& client, Peer& server) {
  while (true) {
    const std::string up = Out(client);
    server.Receive(up);
    const std::string down = server.Say();
    if (up.empty() && down.empty()) return;
    EXPECT_TRUE(client.Receive(down));
  }
}

std::shared_ptr<Told> Begin(Http2Session& client, Http2Session::StreamId* id = nullptr) {
  auto told = std::make_shared<Told>();
  const auto stream = client.Start({.method = "POST", .path = "/x", .body = "hello"}, told);
  EXPECT_TRUE(stream);
  if (id != nullptr) *id = *stream;
  return told;
}

// A client and a server that have told each other their settings.
class ConnectedHttp2Session : public testing::Test {
 protected:
  ConnectedHttp2Session() { Talk(client, server); }

  Peer server;
  Http2Session client{{.authority = "kube:6443"}};
};

TEST(Http2Session, IsReadyWhenTheServersSettingsHaveCome) {
  Peer server(7);
  Http2Session client({.authority = "kube:6443"});
  EXPECT_FALSE(client.ready());
  EXPECT_FALSE(client.CanStart());
  server.Receive(Out(client));
  ASSERT_TRUE(client.Receive(server.Say()));
  EXPECT_TRUE(client.ready());
  std::vector<std::shared_ptr<Told>> all;
  while (client.CanStart()) all.push_back(Begin(client));
  EXPECT_EQ(all.size(), 7u);
}

TEST_F(ConnectedHttp2Session, AnExchangeIsCompleteWithItsLastByte) {
  const auto told = Begin(client);
  Talk(client, server);
  ASSERT_EQ(server.requests, (std::vector<int32_t>{1}));
  server.Respond(1, "answer");
  Talk(client, server);
  EXPECT_EQ(told->status, 200);
  EXPECT_EQ(told->body, "answer");
  EXPECT_EQ(told->end, ExchangeEnd::Complete);
  EXPECT_EQ(client.open_streams(), 0u);
}

// What two exchanges end as when the server's bytes stop after `cut` of them. The server answers both, or leaves the
// connection after the first and answers that one.
struct CutRun {
  size_t length = 0;      // of all that the server says once the requests have come
  size_t goaway_end = 0;  // where its GOAWAY is complete
  std::shared_ptr<Told> first;
  std::shared_ptr<Told> second;
};
CutRun RunCut(bool goaway, size_t cut) {
  Peer server;
  Http2Session client({.authority = "kube:6443"});
  Talk(client, server);
  CutRun run;
  run.first = Begin(client);
  run.second = Begin(client);
  server.Receive(Out(client));
  std::string said = server.Say();
  if (goaway) {
    nghttp2_submit_goaway(server.session, NGHTTP2_FLAG_NONE, 1, NGHTTP2_NO_ERROR, nullptr, 0);
    said += server.Say();
  }
  run.goaway_end = said.size();
  server.Respond(1, "the first answer");
  if (!goaway) server.Respond(3, "the second answer");
  said += server.Say();
  run.length = said.size();
  EXPECT_TRUE(client.Receive(said.substr(0, cut)));
  client.Lose("cut");
  EXPECT_EQ(client.open_streams(), 0u);
  return run;
}

TEST(Http2Session, CutAtAnyByteOfTheAnswersTheOutcomeIsUnknownUntilTheEnd) {
  const size_t length = RunCut(false, 0).length;
  ASSERT_GT(length, 40u);
  size_t first_complete = 0;
  for (size_t cut = 0; cut <= length; ++cut) {
    const CutRun run = RunCut(false, cut);
    ASSERT_TRUE(run.first->ended);
    ASSERT_TRUE(run.second->ended);
    for (const auto& [told, answer] : {std::pair(run.first, "the first answer"), {run.second, "the second answer"}}) {
      // The end of the stream is a flag in the header of the last frame; it counts when the frame is whole.
      const bool whole = told->body == answer;
      ASSERT_EQ(told->end, whole ? ExchangeEnd::Complete : ExchangeEnd::Unknown) << cut;
    }
    first_complete += run.first->end == ExchangeEnd::Complete ? 1 : 0;
    ASSERT_EQ(run.second->end == ExchangeEnd::Complete, cut == length) << cut;
  }
  EXPECT_GT(first_complete, 1u);
}

TEST(Http2Session, CutAtAnyByteAroundAGoAwayTheOutcomeIsRight) {
  const size_t length = RunCut(true, 0).length;
  for (size_t cut = 0; cut <= length; ++cut) {
    const CutRun run = RunCut(true, cut);
    ASSERT_EQ(run.first->end, cut == length ? ExchangeEnd::Complete : ExchangeEnd::Unknown) << cut;
    ASSERT_EQ(run.second->end, cut >= run.goaway_end ? ExchangeEnd::NotSent : ExchangeEnd::Unknown) << cut;
  }
}

TEST_F(ConnectedHttp2Session, WhatWasNotHandedToTheTransportWasNotSent) {
  const auto handed_over = Begin(client);
  Out(client);
  const auto kept = Begin(client);
  client.Lose("cut");
  EXPECT_EQ(handed_over->end, ExchangeEnd::Unknown);
  EXPECT_EQ(kept->end, ExchangeEnd::NotSent);
  EXPECT_EQ(kept->error, "cut");
}

TEST_F(ConnectedHttp2Session, RequestsStartedWhenTheServerLeavesAreNotSent) {
  const auto told = Begin(client);
  nghttp2_submit_goaway(server.session, NGHTTP2_FLAG_NONE, 0, NGHTTP2_ENHANCE_YOUR_CALM,
                        reinterpret_cast<const uint8_t*>("too many pings"), 14);
  ASSERT_TRUE(client.Receive(server.Say()));
  EXPECT_TRUE(client.leaving());
  Out(client);
  EXPECT_EQ(told->end, ExchangeEnd::NotSent);
  EXPECT_EQ(told->error, "the server leaves the connection (GOAWAY, ENHANCE_YOUR_CALM: too many pings)");
  EXPECT_TRUE(client.over());
}

TEST_F(ConnectedHttp2Session, ARefusedStreamWasNotSentAnyOtherResetIsUnknown) {
  const auto refused = Begin(client);
  const auto broken = Begin(client);
  Talk(client, server);
  nghttp2_submit_rst_stream(server.session, NGHTTP2_FLAG_NONE, 1, NGHTTP2_REFUSED_STREAM);
  nghttp2_submit_rst_stream(server.session, NGHTTP2_FLAG_NONE, 3, NGHTTP2_INTERNAL_ERROR);
  Talk(client, server);
  EXPECT_EQ(refused->end, ExchangeEnd::NotSent);
  EXPECT_EQ(broken->end, ExchangeEnd::Unknown);
  EXPECT_EQ(broken->error, "the stream was reset: INTERNAL_ERROR");
}

TEST_F(ConnectedHttp2Session, AServerThatHasBegunToAnswerCannotRefuse) {
  const auto told = Begin(client);
  Talk(client, server);
  Headers head = {{":status", "200"}};
  nghttp2_submit_headers(server.session, NGHTTP2_FLAG_NONE, 1, nullptr, Peer::Views(head).data(), 1, nullptr);
  Talk(client, server);
  EXPECT_EQ(told->status, 200);
  nghttp2_submit_rst_stream(server.session, NGHTTP2_FLAG_NONE, 1, NGHTTP2_REFUSED_STREAM);
  Talk(client, server);
  EXPECT_EQ(told->end, ExchangeEnd::Unknown);
}

TEST_F(ConnectedHttp2Session, InterimResponsesArePassedOver) {
  const auto told = Begin(client);
  Talk(client, server);
  Headers interim = {{":status", "103"}, {"link", "x"}};
  nghttp2_submit_headers(server.session, NGHTTP2_FLAG_NONE, 1, nullptr, Peer::Views(interim).data(), 2, nullptr);
  Talk(client, server);
  EXPECT_EQ(told->status, 0);
  server.Respond(1, "answer");
  Talk(client, server);
  EXPECT_EQ(told->status, 200);
  EXPECT_EQ(told->end, ExchangeEnd::Complete);
}

TEST(Http2Session, AHeaderBeyondTheLimitEndsTheExchangeOnly) {
  Peer server;
  Http2Session client({.authority = "kube:6443", .max_header_bytes = 1000});
  Talk(client, server);
  const auto large = Begin(client);
  const auto other = Begin(client);
  Talk(client, server);
  Headers head = {{":status", "200"}, {"x", std::string(1000, 'x')}};
  nghttp2_submit_headers(server.session, NGHTTP2_FLAG_END_STREAM, 1, nullptr, Peer::Views(head).data(), 2, nullptr);
  server.Respond(3, "answer");
  Talk(client, server);
  EXPECT_EQ(large->end, ExchangeEnd::Unknown);
  EXPECT_EQ(large->error, "the header of the response is larger than 1000 bytes");
  EXPECT_EQ(other->end, ExchangeEnd::Complete);
}

TEST_F(ConnectedHttp2Session, ACancelledExchangeIsSilentAndTheServerIsTold) {
  Http2Session::StreamId sent = 0;
  Http2Session::StreamId not_sent = 0;
  const auto first = Begin(client, &sent);
  Talk(client, server);
  const auto second = Begin(client, &not_sent);
  client.Cancel(sent);
  client.Cancel(not_sent);
  client.Cancel(not_sent);
  Talk(client, server);
  client.Lose("cut");
  EXPECT_FALSE(first->ended);
  EXPECT_FALSE(second->ended);
  EXPECT_EQ(server.requests, (std::vector<int32_t>{1}));
  EXPECT_EQ(server.resets, (std::vector<int32_t>{1}));
}

TEST_F(ConnectedHttp2Session, EndSaysWhetherTheRequestWasSent) {
  Http2Session::StreamId sent = 0;
  Http2Session::StreamId not_sent = 0;
  const auto first = Begin(client, &sent);
  Talk(client, server);
  const auto second = Begin(client, &not_sent);
  client.End(sent, "late");
  client.End(not_sent, "late");
  EXPECT_EQ(first->end, ExchangeEnd::Unknown);
  EXPECT_EQ(second->end, ExchangeEnd::NotSent);
}

TEST_F(ConnectedHttp2Session, AnAnswerBeforeTheEndOfTheRequestIsCompleteAndStopsTheRequest) {
  const auto told = std::make_shared<Told>();
  ASSERT_TRUE(client.Start({.method = "POST", .path = "/x", .body = std::string(1 << 20, 'x')}, told));
  server.Receive(Out(client));  // as much as the server's window allows
  ASSERT_EQ(server.requests.size(), 1u);
  server.Respond(1, "too large");
  ASSERT_TRUE(client.Receive(server.Say()));
  EXPECT_EQ(told->end, ExchangeEnd::Complete);
  EXPECT_EQ(told->body, "too large");
  server.Receive(Out(client));
  EXPECT_EQ(server.resets, (std::vector<int32_t>{1}));
}

TEST_F(ConnectedHttp2Session, HoldsBackWhatTheServersWindowHasNoRoomFor) {
  EXPECT_FALSE(client.HoldsBack());
  const auto told = std::make_shared<Told>();
  ASSERT_TRUE(client.Start({.method = "POST", .path = "/x", .body = std::string(100'000, 'x')}, told));
  EXPECT_TRUE(client.HoldsBack());
  const std::string first = Out(client);
  EXPECT_LT(first.size(), 100'000u);
  EXPECT_TRUE(client.HoldsBack());
  server.Receive(first);
  Talk(client, server);
  EXPECT_FALSE(client.HoldsBack());
  EXPECT_FALSE(told->ended) << "it waits for the answer";
}

TEST(Http2Session, TheWindowOpensOnlyWhenABodyWasTaken) {
  Peer server;
  Http2Session client({.authority = "kube:6443", .stream_window = 65'535, .connection_window = 65'535});
  Talk(client, server);
  const auto told = Begin(client);
  Talk(client, server);
  const int before = server.window_updates;
  server.Respond(1, std::string(200'000, 'x'));
  const std::string first = server.Say();
  EXPECT_LT(first.size(), 70'000u);  // the server has to wait
  ASSERT_TRUE(client.Receive(first));
  EXPECT_EQ(told->body.size(), 65'535u);
  Talk(client, server);
  EXPECT_EQ(told->body.size(), 200'000u);
  EXPECT_EQ(told->end, ExchangeEnd::Complete);
  EXPECT_GT(server.window_updates, before);
}

TEST(Http2Session, AServerThatSpeaksAnotherProtocolIsNoticed) {
  Http2Session client({.authority = "kube:6443"});
  Out(client);
  ASSERT_TRUE(client.Receive("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
  Out(client);
  EXPECT_TRUE(client.over());
  EXPECT_EQ(client.problem(), "the server does not speak HTTP/2");
}

TEST_F(ConnectedHttp2Session, AStreamsBrokenResponseIsUnknown) {
  const auto told = Begin(client);
  Talk(client, server);
  Headers head = {{":status", "200"}, {"content-length", "5"}};
  nghttp2_submit_headers(server.session, NGHTTP2_FLAG_END_STREAM, 1, nullptr, Peer::Views(head).data(), 2, nullptr);
  Talk(client, server);
  ASSERT_TRUE(told->ended);
  EXPECT_EQ(told->end, ExchangeEnd::Unknown);
}

TEST(Http2Session, LeavesWhenTheStreamNumbersAreUsedUp) {
  Peer server;
  Http2Session client({.authority = "kube:6443", .first_stream = INT32_MAX});
  Talk(client, server);
  const auto told = Begin(client);
  EXPECT_TRUE(client.leaving());
  EXPECT_FALSE(client.CanStart());
  Talk(client, server);
  server.Respond(INT32_MAX, "answer");
  Talk(client, server);
  EXPECT_EQ(told->end, ExchangeEnd::Complete);
}

}  // namespace
}  // namespace berth::net
