// SPDX-License-Identifier: Apache-2.0
#include "kube/client/rate_limiter.h"

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RateLimiter, ABurstGoesAtOnceThenOneAfterTheOther) {
  RateLimiter limiter(10, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.Take(seconds(1)), Duration(0));
  EXPECT_EQ(limiter.Take(seconds(1)), milliseconds(100));
  EXPECT_EQ(limiter.Take(seconds(1)), milliseconds(200));
  // What was taken in advance is paid back first.
  EXPECT_EQ(limiter.Take(milliseconds(1'300)), Duration(0));
}

TEST(RateLimiter, NoMoreThanABurstIsSaved) {
  RateLimiter limiter(10, 2);
  EXPECT_EQ(limiter.Take(seconds(100)), Duration(0));
  EXPECT_EQ(limiter.Take(seconds(100)), Duration(0));
  EXPECT_GT(limiter.Take(seconds(100)), Duration(0));
}

TEST(RateLimiter, WhoCannotWaitSoLongTakesNothing) {
  RateLimiter limiter(10, 1);
  EXPECT_EQ(limiter.TakeWithin(seconds(1), milliseconds(100)), Duration(0));
  EXPECT_EQ(limiter.TakeWithin(seconds(1), milliseconds(100)), milliseconds(100));
  EXPECT_EQ(limiter.TakeWithin(seconds(1), milliseconds(100)), std::nullopt);
  EXPECT_EQ(limiter.TakeWithin(seconds(1), milliseconds(300)), milliseconds(200));
}

TEST(RateLimiter, NegativeMeansNoLimit) {
  RateLimiter limiter(-1, 1);
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(limiter.Take({}), Duration(0));
}

}  // namespace
}  // namespace berth::kube
