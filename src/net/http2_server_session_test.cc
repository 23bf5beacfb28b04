// SPDX-License-Identifier: Apache-2.0
#include "net/http2_server_session.h"

#include "net/test_http2_frames.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

constexpr uint32_t kCodeRefused = 7;

// A session that a client sends what no library would send.
class Http2ServerSessionTest : public testing::Test, protected ServerSessionEvents {
 protected:
  Http2ServerSessionTest() {
    Receive(TestGreeting(65'535));
    Frames();
  }

  void TakeRequest(StreamId stream, ServerRequest /*request*/) override { asked_.push_back(stream); }

  void Receive(const std::string& bytes) { EXPECT_TRUE(session_.Receive(bytes).has_value()); }
  // What it sends, as pairs of a type and what the frame is about.
  std::vector<std::pair<uint8_t, StreamId>> Frames() {
    std::string out;
    EXPECT_TRUE(session_.Produce(out, 1 << 20).has_value());
    std::vector<std::pair<uint8_t, StreamId>> frames;
    const auto number = [&](size_t at, size_t size) {
      uint32_t value = 0;
      for (const char byte : out.substr(at, size)) value = value << 8U | static_cast<uint8_t>(byte);
      return value;
    };
    for (size_t at = 0; at < out.size(); at += 9 + number(at, 3)) {
      frames.emplace_back(out[at + 3], static_cast<StreamId>(number(at + 5, 4)));
      if (frames.back().first == kTestReset) reset_code_ = number(at + 9, 4);
    }
    return frames;
  }
  using FrameList = std::vector<std::pair<uint8_t, StreamId>>;

  std::vector<StreamId> asked_;
  uint32_t reset_code_ = 0;  // the latest
  Http2ServerSession session_{{.max_header_bytes = 10'000, .max_streams = 5, .max_unanswered_bytes = 20'000}, *this};
};

TEST_F(Http2ServerSessionTest, AResponseThatIsNotTakenWaitsForTheClient) {
  Receive(TestFrame(kTestSettings, 0, 0, TestNumber(4, 2) + TestNumber(1, 4)) + TestGet(1) + TestGet(3));
  EXPECT_EQ(session_.state(), ServerSession::State::Answering);
  session_.Respond(1, {.body = "xyz"});
  Frames();
  EXPECT_EQ(session_.state(), ServerSession::State::Sending);
  EXPECT_EQ(session_.response_bytes(), 1u);
  Receive(TestFrame(kTestPing, 0, 0, "whatever"));
  Frames();
  EXPECT_EQ(session_.response_bytes(), 1u);
  Receive(TestFrame(kTestWindow, 0, 1, TestNumber(2, 4)));
  Frames();
  EXPECT_EQ(session_.response_bytes(), 3u);
  EXPECT_EQ(session_.state(), ServerSession::State::Answering);
}

// A header is sent once; then a byte stands for it.
TEST_F(Http2ServerSessionTest, RequestsTogetherHaveALimit) {
  Receive(TestGet(1, TestRemembered('a', 3'000)));
  Receive(TestGet(3, "\xbe\xbe\xbe"));
  Receive(TestGet(5, "\xbe"));
  EXPECT_EQ(asked_, (std::vector<StreamId>{1, 3, 5}));
  EXPECT_EQ(Frames(), FrameList());
  Receive(TestGet(7, "\xbe\xbe"));
  EXPECT_EQ(asked_.size(), 3u);
  EXPECT_EQ(Frames(), (FrameList{{kTestReset, 7}}));
  EXPECT_EQ(reset_code_, kCodeRefused);
  session_.Respond(3, {});
  Frames();
  Receive(TestGet(9, "\xbe\xbe"));
  EXPECT_EQ(asked_.back(), 9);
}

TEST_F(Http2ServerSessionTest, BodiesCountAsWell) {
  for (const StreamId id : {1, 3}) {
    Receive(TestGet(id, "", 0) + TestFrame(kTestData, 0, id, std::string(12'000, 'x')));
  }
  EXPECT_EQ(Frames(), (FrameList{{kTestReset, 3}}));
  EXPECT_EQ(reset_code_, kCodeRefused);
}

TEST_F(Http2ServerSessionTest, OfARequestThatIsTooLargeNothingIsKept) {
  Receive(TestGet(1, TestRemembered('a', 3'000) + "\xbe\xbe\xbe\xbe", 0));
  for (const StreamId id : {3, 5, 7}) Receive(TestGet(id, "\xbe\xbe\xbe\xbe", 0));
  EXPECT_EQ(Frames(), FrameList());
  Receive(TestGet(9, "\xbe\xbe\xbe"));
  EXPECT_EQ(asked_, std::vector<StreamId>{9});
}

TEST_F(Http2ServerSessionTest, ResetStreamsCountUntilTheyAreAnswered) {
  for (const StreamId id : {1, 3, 5, 7, 9}) Receive(TestGet(id) + TestFrame(kTestReset, 0, id, TestNumber(8, 4)));
  EXPECT_EQ(session_.state(), ServerSession::State::Idle);
  EXPECT_EQ(asked_.size(), 5u);
  Receive(TestGet(11));
  EXPECT_EQ(asked_.size(), 5u);
  EXPECT_EQ(Frames(), (FrameList{{kTestReset, 11}}));
  session_.Respond(1, {});
  Receive(TestGet(13));
  EXPECT_EQ(asked_.back(), 13);
}

TEST_F(Http2ServerSessionTest, TheLastAnswerIsTheLastEvenToAResetStream) {
  Receive(TestGet(1) + TestFrame(kTestReset, 0, 1, TestNumber(8, 4)));
  session_.Respond(1, {200, {{"connection", "close"}}, "x"});
  EXPECT_EQ(Frames(), (FrameList{{kTestGoaway, 0}}));
  EXPECT_TRUE(session_.over());
}

}  // namespace
}  // namespace berth::net
