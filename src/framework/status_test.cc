// SPDX-License-Identifier: Apache-2.0
#include "framework/status.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

TEST(Status, SuccessSaysNothing) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), Code::Success);
  EXPECT_FALSE(status.is_rejected());
  EXPECT_TRUE(status.reasons().empty());
  EXPECT_EQ(status.Message(), "");
  EXPECT_EQ(status.plugin(), "");
  EXPECT_TRUE(status.By("Fit").ok());
}

TEST(Status, CodesAreNumberedAsUpstream) {
  const std::pair<Code, std::string_view> expected[] = {
      {Code::Success, "Success"},
      {Code::Error, "Error"},
      {Code::Unschedulable, "Unschedulable"},
      {Code::UnschedulableAndUnresolvable, "UnschedulableAndUnresolvable"},
      {Code::Wait, "Wait"},
      {Code::Skip, "Skip"},
      {Code::Pending, "Pending"}};
  int number = 0;
  for (const auto& [code, name] : expected) {
    EXPECT_EQ(static_cast<int>(code), number++);
    EXPECT_EQ(CodeName(code), name);
  }
}

TEST(Status, RejectionsAreThreeCodes) {
  EXPECT_TRUE(Status::Unschedulable("x").is_rejected());
  EXPECT_TRUE(Status::Unresolvable("x").is_rejected());
  EXPECT_TRUE(Status::Pending("x").is_rejected());
  EXPECT_FALSE(Status::FromError("x").is_rejected());
  EXPECT_FALSE(Status::Skip().is_rejected());
  EXPECT_FALSE(Status::Wait().is_rejected());
}

TEST(Status, JoinsReasons) {
  EXPECT_EQ(Status(Code::Unschedulable, {"Too many pods", "Insufficient cpu"}).Message(),
            "Too many pods, Insufficient cpu");
}

TEST(Status, NamingAPluginMakesACopy) {
  const Status anonymous = Status::Unschedulable("no");
  const Status named = anonymous.By("NodePorts");
  EXPECT_EQ(anonymous.plugin(), "");
  EXPECT_EQ(named.plugin(), "NodePorts");
  EXPECT_EQ(named.code(), Code::Unschedulable);
  EXPECT_EQ(named.reasons(), anonymous.reasons());
}

TEST(Status, AnErrorKeepsItsMessage) {
  const Status status = Status::FromError(NotFoundError("node \"a\" not found"));
  EXPECT_EQ(status.code(), Code::Error);
  EXPECT_EQ(status.Message(), "node \"a\" not found");
}

}  // namespace
}  // namespace berth::framework
