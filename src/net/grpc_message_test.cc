// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_message.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

std::string Framed(const std::string& message) { return GrpcPrefix(message.size()) + message; }

TEST(GrpcMessageReader, FindsMessagesHoweverTheyAreCut) {
  const std::vector<std::string> messages = {"first", "", std::string(300, 'x'), "", "last"};
  std::string bytes;
  for (const std::string& message : messages) bytes += Framed(message);
  for (size_t size = 1; size <= bytes.size(); ++size) {
    GrpcMessageReader reader(300);
    std::vector<std::string> found;
    for (size_t at = 0; at < bytes.size(); at += size) {
      ASSERT_EQ(reader.Take(std::string_view(bytes).substr(at, size), found), GrpcStatus());
    }
    EXPECT_EQ(found, messages);
    EXPECT_FALSE(reader.in_message());
  }
}

TEST(GrpcMessageReader, KnowsWhetherAMessageIsIncomplete) {
  const std::string bytes = Framed("message");
  for (size_t cut = 1; cut < bytes.size(); ++cut) {
    GrpcMessageReader reader(100);
    std::vector<std::string> found;
    ASSERT_EQ(reader.Take(std::string_view(bytes).substr(0, cut), found), GrpcStatus());
    EXPECT_TRUE(reader.in_message()) << cut;
    EXPECT_TRUE(found.empty());
  }
}

TEST(GrpcMessageReader, RefusesWhatItCannotRead) {
  const auto refusal = [](const std::string& bytes) {
    GrpcMessageReader reader(1000);
    std::vector<std::string> found;
    const GrpcStatus status = reader.Take(Framed("good") + bytes, found);
    EXPECT_EQ(found, std::vector<std::string>{"good"});
    return GrpcStatusText(status);
  };
  EXPECT_EQ(refusal(GrpcPrefix(1001)), "RESOURCE_EXHAUSTED: a message of 1001 bytes is larger than 1000 bytes");
  EXPECT_EQ(refusal(std::string("\0\xff\xff\xff\xff", 5)),
            "RESOURCE_EXHAUSTED: a message of 4294967295 bytes is larger than 1000 bytes");
  EXPECT_EQ(refusal(std::string("\1\0\0\0\1x", 6)), "INTERNAL: a message is compressed, which was not agreed on");
  EXPECT_EQ(refusal("HTTP/1.1"), "INTERNAL: a message begins with the byte 72");
}

}  // namespace
}  // namespace berth::net
