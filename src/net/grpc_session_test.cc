// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_session.h"

#include "net/test_http2_frames.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

using Kind = GrpcEvent::Kind;
using Side = GrpcSession::Side;

constexpr const char* kPath = "/test.Service/Method";

// Two ends of a connection, and what has happened at each.
class Pair {
 public:
  explicit Pair(const GrpcLimits& client_limits = {}, const GrpcLimits& server_limits = {},
                const std::string& server_path = kPath)
      : client(Side::Client, client_limits, kPath), server(Side::Server, server_limits, server_path) {
    stream = client.Open("http", "localhost");
  }

  // Carries bytes both ways, in pieces of this size, until there are none.
  void Carry(size_t piece = SIZE_MAX) {
    while (CarryTo(server, client, piece) + CarryTo(client, server, piece) > 0) {
    }
  }
  std::string TextOf(const std::vector<GrpcEvent>& events) {
    std::string text;
    for (const GrpcEvent& event : events) {
      switch (event.kind) {
        case Kind::Ready: text += "ready "; break;
        case Kind::Opened: text += "opened "; break;
        case Kind::Received: text += "'" + event.message + "' "; break;
        case Kind::InputEnded: text += "input-ended "; break;
        case Kind::Ended: text += "ended " + GrpcStatusText(event.status) + " "; break;
      }
    }
    return text;
  }
  std::string AtClient() { return TextOf(client.TakeEvents()); }
  std::string AtServer() { return TextOf(server.TakeEvents()); }

  GrpcSession client;
  GrpcSession server;
  GrpcSession::StreamId stream;

 private:
  static size_t CarryTo(GrpcSession& to, GrpcSession& from, size_t piece) {
    std::string bytes;
    EXPECT_TRUE(from.Produce(bytes, SIZE_MAX));
    for (size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at)) {
      EXPECT_TRUE(to.Receive(std::string_view(bytes).substr(at, piece)));
    }
    return bytes.size();
  }
};

TEST(GrpcSession, CarriesMessagesBothWaysHoweverTheyAreCut) {
  for (const size_t piece : {size_t{1}, size_t{7}, SIZE_MAX}) {
    Pair pair;
    pair.client.Send(pair.stream, "one");
    pair.client.Send(pair.stream, "");
    pair.Carry(piece);
    EXPECT_EQ(pair.AtClient(), "ready ");
    EXPECT_EQ(pair.AtServer(), "ready opened 'one' '' ");
    pair.server.Accept(pair.stream);
    pair.server.Send(pair.stream, "two");
    pair.Carry(piece);
    EXPECT_EQ(pair.AtClient(), "'two' ");
    pair.client.Send(pair.stream, "three");
    pair.client.End(pair.stream, {});
    pair.client.Send(pair.stream, "too late");
    pair.Carry(piece);
    EXPECT_EQ(pair.AtServer(), "'three' input-ended ");
    pair.server.Send(pair.stream, "last");
    pair.server.End(pair.stream, {GrpcCode::InvalidArgument, "50 % wrong"});
    pair.Carry(piece);
    EXPECT_EQ(pair.AtClient(), "'last' ended INVALID_ARGUMENT: 50 % wrong ");
    EXPECT_EQ(pair.AtServer(), "ended INVALID_ARGUMENT: 50 % wrong ");
    EXPECT_EQ(pair.client.open_streams() + pair.server.open_streams(), 0u);
  }
}

TEST(GrpcSession, CarriesMessagesLargerThanEveryWindow) {
  Pair pair;
  pair.Carry();
  pair.server.Accept(pair.stream);
  std::string large(size_t{20} << 20U, 'x');
  for (size_t i = 0; i < large.size(); i += 1009) large[i] = static_cast<char>('a' + i % 26);
  pair.client.Send(pair.stream, large);
  pair.server.Send(pair.stream, large);
  pair.Carry();
  const auto at_server = pair.server.TakeEvents();
  const auto at_client = pair.client.TakeEvents();
  ASSERT_EQ(at_server.size(), 3u);
  ASSERT_EQ(at_client.size(), 2u);
  EXPECT_TRUE(at_server[2].message == large);
  EXPECT_TRUE(at_client[1].message == large);
}

TEST(GrpcSession, AServerThatEndsDoesNotWaitForTheClient) {
  Pair pair;
  pair.Carry();
  pair.server.Accept(pair.stream);
  pair.server.End(pair.stream, {});
  pair.Carry();
  EXPECT_EQ(pair.AtClient(), "ready ended OK ");
  EXPECT_EQ(pair.AtServer(), "ready opened ended OK ");
}

TEST(GrpcSession, ACallThatIsNotAcceptedIsRefusedInOneFrame) {
  Pair pair;
  pair.Carry();
  pair.server.End(pair.stream, {GrpcCode::ResourceExhausted, "busy"});
  pair.Carry();
  EXPECT_EQ(pair.AtClient(), "ready ended RESOURCE_EXHAUSTED: busy ");
  EXPECT_EQ(pair.AtServer(), "ready opened ended RESOURCE_EXHAUSTED: busy ");
}

TEST(GrpcSession, ThereIsOnlyOneMethod) {
  Pair pair({}, {}, "/other.Service/Method");
  pair.client.Send(pair.stream, "hello");
  pair.Carry();
  EXPECT_EQ(pair.AtClient(), std::string("ready ended UNIMPLEMENTED: there is no method ") + kPath + " ");
  EXPECT_EQ(pair.AtServer().find("opened"), std::string::npos);
}

TEST(GrpcSession, AServerThatRefusesEveryoneSaysWhy) {
  Pair pair;
  pair.server.Refuse({GrpcCode::Unauthenticated, "who are you"});
  pair.Carry();
  EXPECT_EQ(pair.AtClient(), "ready ended UNAUTHENTICATED: who are you ");
  EXPECT_EQ(pair.AtServer().find("opened"), std::string::npos);
}

TEST(GrpcSession, AMessageThatIsTooLargeEndsTheStreamAndSaysSo) {
  const std::string text = "RESOURCE_EXHAUSTED: a message of 101 bytes is larger than 100 bytes ";
  Pair to_server({}, {.max_message_bytes = 100});
  to_server.Carry();
  to_server.server.Accept(to_server.stream);
  to_server.client.Send(to_server.stream, std::string(100, 'x'));
  to_server.client.Send(to_server.stream, std::string(101, 'x'));
  to_server.client.Send(to_server.stream, "ignored");
  to_server.Carry();
  EXPECT_EQ(to_server.AtClient(), "ready ended " + text);
  EXPECT_EQ(to_server.AtServer(), "ready opened '" + std::string(100, 'x') + "' ended " + text);
  Pair to_client({.max_message_bytes = 100});
  to_client.Carry();
  to_client.server.Accept(to_client.stream);
  to_client.server.Send(to_client.stream, std::string(101, 'x'));
  to_client.Carry();
  EXPECT_EQ(to_client.AtClient(), "ready ended " + text);
  EXPECT_EQ(to_client.AtServer(), "ready opened ended CANCELLED: the other side has canceled the stream ");
}

TEST(GrpcSession, ASenderWaitsForAServerThatTakesNothing) {
  const GrpcLimits limits = {.max_untaken_bytes = 1'000, .stream_window = 64 << 10};
  Pair pair({}, limits);
  pair.Carry();
  pair.server.Accept(pair.stream);
  const std::string piece(1'000, 'x');
  constexpr size_t kPieces = 1'000;
  for (size_t i = 0; i < kPieces; ++i) pair.client.Send(pair.stream, piece);
  pair.Carry();
  size_t came = 0;
  size_t most = 0;
  while (true) {
    size_t untaken = 0;
    for (const GrpcEvent& event : pair.server.TakeEvents()) {
      if (event.kind == Kind::Received) untaken += event.message.size();
    }
    if (untaken == 0) break;
    came += untaken;
    most = std::max(most, untaken);
    pair.server.Taken(pair.stream, untaken);
    pair.Carry();
  }
  EXPECT_EQ(came, kPieces * piece.size());
  EXPECT_LE(most, (size_t{64} << 10U) + 2 * piece.size());
  EXPECT_EQ(pair.client.UnsentBytes(pair.stream), 0u);
}

TEST(GrpcSession, AReaderThatTakesNothingEverIsGivenUp) {
  Pair pair({.max_unsent_bytes = 100'000}, {.max_untaken_bytes = 10, .stream_window = 64 << 10});
  pair.Carry();
  pair.server.Accept(pair.stream);
  for (int i = 0; i < 200; ++i) {
    pair.client.Send(pair.stream, std::string(1'000, 'x'));
    pair.Carry();
  }
  const std::string text = pair.AtClient();
  EXPECT_NE(text.find("ended RESOURCE_EXHAUSTED: the other side takes nothing: 10"), std::string::npos) << text;
}

TEST(GrpcSession, AStreamThatIsSlowDelaysNoOther) {
  Pair pair({}, {.max_untaken_bytes = 10, .stream_window = 64 << 10, .connection_window = 64 << 10});
  const auto other = pair.client.Open("http", "localhost");
  pair.Carry();
  for (int i = 0; i < 200; ++i) pair.client.Send(pair.stream, std::string(1'000, 'x'));
  pair.client.Send(other, "passes");
  pair.Carry();
  EXPECT_NE(pair.AtServer().find("'passes'"), std::string::npos);
}

TEST(GrpcSession, WhereverTheConnectionBreaksEveryStreamEndsOnce) {
  std::string bytes;
  {
    Pair pair;
    pair.client.Send(pair.stream, "message");
    pair.client.End(pair.stream, {});
    ASSERT_TRUE(pair.client.Produce(bytes, SIZE_MAX));
  }
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    Pair pair;
    ASSERT_TRUE(pair.server.Receive(std::string_view(bytes).substr(0, cut)));
    pair.server.Lose("cut");
    const std::string text = pair.AtServer();
    if (text.find("opened") != std::string::npos) {
      const size_t ended = text.find("ended UNAVAILABLE: cut ");
      EXPECT_EQ(ended + std::string("ended UNAVAILABLE: cut ").size(), text.size()) << text;
    }
    EXPECT_EQ(text.find("ended"), text.rfind("ended")) << text;
    EXPECT_EQ(pair.server.open_streams(), 0u);
  }
}

TEST(GrpcSession, TheClientHearsWhyAServerLeaves) {
  Pair pair;
  pair.Carry();
  pair.server.Leave("maintenance");
  pair.Carry();
  EXPECT_EQ(pair.client.problem(), "the other side leaves the connection (GOAWAY: maintenance)");
  EXPECT_EQ(pair.AtClient(), "ready ");  // what was begun goes on
  pair.server.Accept(pair.stream);
  pair.server.Send(pair.stream, "still here");
  pair.Carry();
  EXPECT_EQ(pair.AtClient(), "'still here' ");
}

TEST(GrpcSession, AnAnswerToAPingIsSent) {
  Pair pair;
  pair.Carry();
  pair.client.Ping();
  std::string ping;
  ASSERT_TRUE(pair.client.Produce(ping, SIZE_MAX));
  ASSERT_TRUE(pair.server.Receive(ping));
  std::string pong;
  ASSERT_TRUE(pair.server.Produce(pong, SIZE_MAX));
  EXPECT_EQ(pong.substr(0, 5), TestFrame(kTestPing, 1, 0, std::string(8, '\0')).substr(0, 5));
}

// How a client's stream ends on which a server answers these frames.
std::string AnswerTo(const std::string& frames, const GrpcLimits& limits = {}) {
  GrpcSession server(Side::Server, limits, kPath);
  EXPECT_TRUE(server.Receive(TestGreeting(65'535) + frames));
  for (const GrpcEvent& event : server.TakeEvents()) EXPECT_NE(event.kind, Kind::Opened);
  std::string out;
  EXPECT_TRUE(server.Produce(out, SIZE_MAX));
  GrpcSession client(Side::Client, {}, kPath);
  client.Open("http", "localhost");
  std::string unread;
  EXPECT_TRUE(client.Produce(unread, SIZE_MAX));
  EXPECT_TRUE(client.Receive(out));
  for (const GrpcEvent& event : client.TakeEvents()) {
    if (event.kind == Kind::Ended) return GrpcStatusText(event.status);
  }
  return "nothing";
}

TEST(GrpcSession, AServerAnswersWhoeverDoesNotSpeakGrpcInHttp) {
  EXPECT_EQ(AnswerTo(TestGet(1)), "UNKNOWN: the server answers with the HTTP status 405");
  const std::string post = "\x83\x86\x84\x01\x01h";  // without a content-type
  EXPECT_EQ(AnswerTo(TestFrame(kTestHeaders, kTestEndHeaders, 1, post)),
            "UNKNOWN: the server answers with the HTTP status 415");
}

TEST(GrpcSession, AHeaderThatIsTooLargeRefusesTheCall) {
  const std::string post = "\x83\x86\x84\x01\x01h" + TestRemembered('a', 2'000);
  EXPECT_EQ(AnswerTo(TestFrame(kTestHeaders, kTestEndHeaders, 1, post), {.max_header_bytes = 1'000}),
            "RESOURCE_EXHAUSTED: the header is larger than 1000 bytes");
}

TEST(GrpcSession, WhoeverDoesNotSpeakHttp2IsToldApart) {
  GrpcSession server(Side::Server, {}, kPath);
  const auto http1 = server.Receive("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_FALSE(http1);
  EXPECT_EQ(http1.error().message, "the other side does not speak HTTP/2");
  GrpcSession client(Side::Client, {}, kPath);
  client.Open("http", "localhost");
  std::ignore = client.Receive("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n");
  std::string last;
  EXPECT_TRUE(client.Produce(last, SIZE_MAX));
  EXPECT_TRUE(client.over());
  EXPECT_EQ(client.problem(), "the other side does not speak HTTP/2");
}

TEST(GrpcSession, AClientUnderstandsServersThatDoNotSpeakGrpc) {
  const auto told = [](const std::string& header, uint8_t flags) {
    GrpcSession client(Side::Client, {}, kPath);
    const auto stream = client.Open("http", "localhost");
    std::string out;
    EXPECT_TRUE(client.Produce(out, SIZE_MAX));
    EXPECT_TRUE(client.Receive(TestFrame(kTestSettings, 0, 0)));
    EXPECT_TRUE(client.Receive(TestFrame(kTestHeaders, kTestEndHeaders | flags, stream, header)));
    std::string text;
    for (const GrpcEvent& event : client.TakeEvents()) {
      if (event.kind == Kind::Ended) text += GrpcStatusText(event.status);
    }
    return text;
  };
  EXPECT_EQ(told("\x8d", kTestEndStream), "UNIMPLEMENTED: the server answers with the HTTP status 404");
  EXPECT_EQ(told("\x8e", 0), "UNKNOWN: the server answers with the HTTP status 500");
  EXPECT_EQ(told("\x88", kTestEndStream), "UNKNOWN: the server ended the stream without a status");
  EXPECT_EQ(told("\x88", 0), "UNKNOWN: the server does not speak gRPC: its content-type is ''");
  EXPECT_EQ(told("\x88\x0f\x10\x09text/html", 0),
            "UNKNOWN: the server does not speak gRPC: its content-type is 'text/html'");
}

TEST(GrpcSession, AMessageThatMakesNoSenseEndsTheStream) {
  Pair pair;
  pair.Carry();
  pair.server.Accept(pair.stream);
  pair.Carry();
  ASSERT_TRUE(pair.server.Receive(TestFrame(kTestData, 0, pair.stream, "rubbish")));
  pair.Carry();
  EXPECT_EQ(pair.AtServer(), "ready opened ended INTERNAL: a message begins with the byte 114 ");
  EXPECT_EQ(pair.AtClient(), "ready ended INTERNAL: a message begins with the byte 114 ");
}

TEST(GrpcSession, AStreamThatEndsWithinAMessageIsAnError) {
  Pair pair;
  pair.Carry();
  pair.server.Accept(pair.stream);
  ASSERT_TRUE(pair.server.Receive(TestFrame(kTestData, kTestEndStream, pair.stream, std::string("\0\0\0\0\5ab", 7))));
  EXPECT_EQ(pair.AtServer(), "ready opened ended INTERNAL: the stream ended within a message ");
}

}  // namespace
}  // namespace berth::net
