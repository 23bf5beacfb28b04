// SPDX-License-Identifier: Apache-2.0
#include "remote/program_output.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::remote {
namespace {

using std::chrono::milliseconds;

class ProgramOutputTest : public testing::Test {
 protected:
  ProgramOutput Make(const ProgramOutputLimits& limits) {
    return {limits, [this](std::string_view line, size_t left_out) {
              lines_.push_back(std::string(line) + (left_out == 0 ? "" : " after " + std::to_string(left_out)));
            }};
  }
  std::vector<std::string> lines_;
};

TEST_F(ProgramOutputTest, LinesAreTheSameHoweverTheyAreCut) {
  const std::string text = "first\n\nsecond\r\nlast";
  for (size_t size = 1; size <= text.size(); ++size) {
    lines_.clear();
    ProgramOutput output = Make({});
    for (size_t at = 0; at < text.size(); at += size) output.Take(std::string_view(text).substr(at, size), {});
    output.End({});
    EXPECT_EQ(lines_, (std::vector<std::string>{"first", "second", "last"}));
  }
}

TEST_F(ProgramOutputTest, LongLinesAreCut) {
  ProgramOutput output = Make({.line_bytes = 5});
  for (int i = 0; i < 100'000; ++i) output.Take("x", {});
  output.Take("\n12345\n123456\n", {});
  EXPECT_EQ(lines_, (std::vector<std::string>{"xxxxx…", "12345", "12345…"}));
}

TEST_F(ProgramOutputTest, OfManyLinesTheFirstOfEachSecondAreKept) {
  ProgramOutput output = Make({.lines_per_second = 2});
  output.Take("1\n2\n3\n", milliseconds(5'000));
  output.Take("4\n", milliseconds(5'900));
  output.Take("5\n6\n7\n", milliseconds(6'100));
  output.End(milliseconds(6'100));
  EXPECT_EQ(lines_, (std::vector<std::string>{"1", "2", "5 after 2", "6", " after 1"}));
}

TEST_F(ProgramOutputTest, WhatWasLeftOutIsToldThoughNothingFollows) {
  ProgramOutput output = Make({.lines_per_second = 1});
  output.Take("1\n2\n3\n", milliseconds(5'000));
  EXPECT_EQ(output.NextTick(milliseconds(5'400)), milliseconds(600));
  output.Tick(milliseconds(5'900));
  EXPECT_EQ(lines_, std::vector<std::string>{"1"});
  output.Tick(milliseconds(6'000));
  EXPECT_EQ(lines_, (std::vector<std::string>{"1", " after 2"}));
  EXPECT_GT(output.NextTick(milliseconds(6'000)), std::chrono::seconds(1));
}

}  // namespace
}  // namespace berth::remote
