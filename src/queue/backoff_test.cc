// SPDX-License-Identifier: Apache-2.0
#include "queue/backoff.h"

#include "queue/test_queue.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

TEST(BackoffTest, PenaltiesDoubleUpToTheMaximum) {
  const struct {
    Duration initial, max;
    uint32_t failures;
    Duration expected;
  } cases[] = {
      {1s, 10s, 0, 0s},
      {1s, 10s, 1, 1s},
      {1s, 10s, 2, 2s},
      {1s, 10s, 3, 4s},
      {1s, 10s, 4, 8s},
      {1s, 10s, 5, 10s},
      {1s, 10s, 16, 10s},
      {1s, 10s, 63, 10s},
      {1s, 10s, 64, 10s},
      {1s, 10s, 65, 10s},
      {1s, 10s, UINT32_MAX, 10s},
      {3s, 10s, 2, 6s},
      {3s, 10s, 3, 10s},
      {20s, 10s, 1, 10s},
      {1ns, 1000h, 40, Duration(int64_t{1} << 39U)},
      {1ns, Duration::max(), 63, Duration(int64_t{1} << 62U)},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Backoff(c.initial, c.max).After(c.failures), c.expected) << c.initial.count() << " " << c.failures;
  }
}

TEST(BackoffTest, PenaltiesEndAtWholeSecondsAndLastThroughThem) {
  const Backoff backoff(1s, 10s);
  QueuedPod pod;
  pod.queued = AtSecond(100) + 700ms;
  EXPECT_EQ(backoff.EndFor(pod), Timestamp::min()) << "never tried";
  pod.unschedulable_count = 2;
  EXPECT_EQ(backoff.EndFor(pod), AtSecond(102));
  pod.error_count = 1;
  EXPECT_EQ(backoff.EndFor(pod), AtSecond(101)) << "after an error, errors alone count";
  EXPECT_EQ(Backoff(1s, 0s).EndFor(pod), Timestamp::min());

  pod.backoff_until = backoff.EndFor(pod);
  EXPECT_TRUE(backoff.IsBackingOff(pod, AtSecond(100) + 700ms));
  EXPECT_TRUE(backoff.IsBackingOff(pod, AtSecond(101)));
  EXPECT_TRUE(backoff.IsBackingOff(pod, AtSecond(101) + 999'999'999ns));
  EXPECT_FALSE(backoff.IsBackingOff(pod, AtSecond(102)));
  EXPECT_EQ(Backoff::ReadyAt(pod), AtSecond(102));
  pod.backoff_until = Timestamp::min();
  EXPECT_FALSE(backoff.IsBackingOff(pod, Timestamp()));
}

TEST(BackoffTest, UnalignedPenaltiesEndWhenTheyEnd) {
  const Backoff backoff(1s, 10s, /*aligned=*/false);
  QueuedPod pod;
  pod.queued = AtSecond(100) + 700ms;
  pod.unschedulable_count = 1;
  pod.backoff_until = backoff.EndFor(pod);
  EXPECT_EQ(pod.backoff_until, AtSecond(101) + 700ms);
  EXPECT_TRUE(backoff.IsBackingOff(pod, AtSecond(101) + 700ms));
  EXPECT_FALSE(backoff.IsBackingOff(pod, AtSecond(101) + 701ms));
  EXPECT_EQ(Backoff::ReadyAt(pod), AtSecond(102)) << "pods are let go at whole seconds all the same";
}

}  // namespace
}  // namespace berth::queue
