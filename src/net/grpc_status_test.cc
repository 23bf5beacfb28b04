// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_status.h"

#include <string>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

TEST(GrpcStatus, IsWrittenWithItsName) {
  EXPECT_EQ(GrpcStatusText({GrpcCode::Ok, ""}), "OK");
  EXPECT_EQ(GrpcStatusText({GrpcCode::Unimplemented, "no such method"}), "UNIMPLEMENTED: no such method");
  EXPECT_EQ(GrpcStatusText({static_cast<GrpcCode>(99), "odd"}), "code 99: odd");
}

TEST(GrpcStatus, AMessageSurvivesTheHeader) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  for (const std::string& text : {std::string(), std::string("50 % of \"pods\""), std::string("größer\n"), every}) {
    const std::string encoded = EncodeGrpcMessage(text);
    for (const char c : encoded) EXPECT_TRUE(c >= ' ' && c <= '~') << encoded;
    EXPECT_EQ(DecodeGrpcMessage(encoded), text);
  }
  EXPECT_EQ(EncodeGrpcMessage("50 %\n"), "50 %25%0A");
}

TEST(GrpcStatus, WhatIsNotEncodedWellIsTakenAsItStands) {
  for (const std::string text : {"%", "100%", "%4", "%zz", "a%-1b", "%+1"}) EXPECT_EQ(DecodeGrpcMessage(text), text);
  EXPECT_EQ(DecodeGrpcMessage("%41%"), "A%");
}

TEST(GrpcStatus, OfOtherServersSaysWhatTheyAnswer) {
  EXPECT_EQ(GrpcStatusOfHttp(404).code, GrpcCode::Unimplemented);
  EXPECT_EQ(GrpcStatusOfHttp(503).code, GrpcCode::Unavailable);
  EXPECT_EQ(GrpcStatusText(GrpcStatusOfHttp(418)), "UNKNOWN: the server answers with the HTTP status 418");
}

}  // namespace
}  // namespace berth::net
