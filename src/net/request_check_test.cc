// SPDX-License-Identifier: Apache-2.0
#include "net/request_check.h"

#include "net/http1_session.h"
#include "net/http2_session.h"
#include "net/test_loop_thread.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

std::string ProblemOf(const Request& request) {
  const Result<void> checked = CheckRequest(request);
  return checked ? "" : checked.error().message;
}

TEST(RequestCheck, PassesWhatCanBeWritten) {
  EXPECT_EQ(ProblemOf({.path = "/api?x=%20&y=ä"}), "");
  EXPECT_EQ(ProblemOf({.path = "/", .headers = {{"impersonate-extra-a%2fb", "jürgen\tx y"}, {"empty", ""}}}), "");
}

TEST(RequestCheck, RefusesWhatWouldBeAnotherHeaderOrRequest) {
  using namespace std::string_literals;
  const std::string path = "the request cannot be sent: its path is empty, or has a blank or a control character";
  for (const std::string& bad : {""s, "/a b"s, "/a\r\nx: y"s, "/a\0"s, "/\x7f"s}) {
    EXPECT_EQ(ProblemOf({.path = bad}), path) << bad;
  }
  for (const std::string& bad : {""s, "GET /"s, "GET\n"s}) {
    EXPECT_EQ(ProblemOf({.method = bad, .path = "/"}), "the request cannot be sent: its method is no token") << bad;
  }
  for (const std::string& bad : {""s, ":path"s, "a b"s, "a\n"s, "a:"s, "ä"s}) {
    EXPECT_EQ(ProblemOf({.path = "/", .headers = {{bad, "x"}}}),
              "the request cannot be sent: the name of a header is no token")
        << bad;
  }
  for (const std::string& bad : {"Bearer abc\n"s, "Bearer abc\r"s, "a\0b"s, "\x1b[m"s}) {
    EXPECT_EQ(ProblemOf({.path = "/", .headers = {{"authorization", bad}}}),
              "the request cannot be sent: the header authorization has a control character");
  }
}

TEST(RequestCheck, IsMadeByBothSessionsBeforeAnythingIsWritten) {
  Http1Session http1({.authority = "h"});
  Http2Session http2({.authority = "h"});
  for (ClientSession* session : {static_cast<ClientSession*>(&http1), static_cast<ClientSession*>(&http2)}) {
    std::string greeting;
    ASSERT_TRUE(session->Produce(greeting, 1'000));
    const auto response = std::make_shared<CollectedResponse>();
    const auto refused = session->Start({.path = "/", .headers = {{"authorization", "Bearer abc\n"}}}, response);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "the request cannot be sent: the header authorization has a control character");
    std::string out;
    ASSERT_TRUE(session->Produce(out, 1'000));
    EXPECT_EQ(out, "");
    session->Lose("closed");
    EXPECT_FALSE(response->ended()) << "nothing was begun";
  }
}

}  // namespace
}  // namespace berth::net
