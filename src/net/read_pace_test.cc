// SPDX-License-Identifier: Apache-2.0
#include "net/read_pace.h"

#include <gtest/gtest.h>

namespace berth::net {
namespace {

using std::chrono::milliseconds;

// Reads every `apart` milliseconds until the given moment; says whether the last found it busy.
bool ReadUntil(ReadPace& pace, Duration& now, Duration end, int apart) {
  bool busy = false;
  for (; now < end; now += milliseconds(apart)) busy = pace.IsBusy(now);
  return busy;
}

TEST(ReadPace, PausesBeginWithManyReadsAndEndWithFew) {
  ReadPace pace;
  Duration now = std::chrono::seconds(1);
  EXPECT_FALSE(ReadUntil(pace, now, now + milliseconds(500), 4)) << "250 in a second are few";
  EXPECT_TRUE(ReadUntil(pace, now, now + milliseconds(500), 1));
  EXPECT_TRUE(ReadUntil(pace, now, now + milliseconds(500), 6)) << "what pauses leave of many";
  EXPECT_FALSE(ReadUntil(pace, now, now + milliseconds(500), 20));
}

TEST(ReadPace, WhatComesAfterAQuietTimeIsReadAtOnce) {
  ReadPace pace;
  Duration now = std::chrono::seconds(1);
  ASSERT_TRUE(ReadUntil(pace, now, now + milliseconds(500), 1));
  EXPECT_FALSE(pace.IsBusy(now + std::chrono::seconds(3)));
}

}  // namespace
}  // namespace berth::net
