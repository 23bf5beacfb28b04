// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/use_over_time.h"

#include "text/duration.h"

#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using text::DurationText;

// One pod arrives every minute and stays.
RunReport Described(Duration length) {
  const framework::ResourceNames names;
  UseOverTime use(Timestamp(), names);
  use.use().allocatable.cpu = 1'000'000;
  use.use().nodes = 2;
  for (Duration at{}; at < length; at += minutes(1)) {
    use.Pass(Timestamp(at));
    ++use.happenings().arrived;
    ++use.use().running;
    use.use().requested.cpu += 1'000;
  }
  use.Pass(Timestamp(length));
  RunReport report;
  use.Describe(report);
  return report;
}

TEST(UseOverTime, TheTimelineStaysShortHoweverLongTheRun) {
  for (const Duration length :
       {Duration(minutes(1)), Duration(minutes(10)), Duration(minutes(29)), Duration(minutes(31)), Duration(hours(2)),
        Duration(hours(24)), Duration(hours(31)), Duration(hours(700))}) {
    const RunReport report = Described(length);
    const auto count = static_cast<uint64_t>(length / minutes(1));
    EXPECT_LE(report.timeline.size(), 30U) << DurationText(length);
    EXPECT_EQ(report.timeline.size(),
              static_cast<size_t>((length + report.timeline_step - Duration(1)) / report.timeline_step))
        << DurationText(length);
    uint64_t arrived = 0;
    for (const TimelineEntry& entry : report.timeline) arrived += entry.happenings.arrived;
    EXPECT_EQ(arrived, count);
    EXPECT_EQ(report.timeline.back().running, count);
    EXPECT_NEAR(report.node_hours, static_cast<double>(count) / 30, 1e-6);
    // The nth minute has n pods of a thousandth each.
    EXPECT_NEAR(report.utilisation.front().average, static_cast<double>(count + 1) / 2 / 1'000, 1e-9);
    EXPECT_EQ(report.utilisation.front().peak_at, Timestamp(length - minutes(1)));
  }
}

TEST(DurationText, HasTwoUnitsAtMost) {
  EXPECT_EQ(DurationText(Duration(0)), "0s");
  EXPECT_EQ(DurationText(Duration(999)), "0s");
  EXPECT_EQ(DurationText(milliseconds(350)), "350ms");
  EXPECT_EQ(DurationText(seconds(12)), "12s");
  EXPECT_EQ(DurationText(milliseconds(12'390)), "12.3s");
  EXPECT_EQ(DurationText(seconds(60)), "1m");
  EXPECT_EQ(DurationText(seconds(65)), "1m05s");
  EXPECT_EQ(DurationText(minutes(60)), "1h");
  EXPECT_EQ(DurationText(minutes(65)), "1h05m");
  EXPECT_EQ(DurationText(hours(24)), "24h");
  EXPECT_EQ(DurationText(hours(52)), "2d4h");
}

}  // namespace
}  // namespace berth::simulator
