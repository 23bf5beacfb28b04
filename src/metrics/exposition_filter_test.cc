// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition_filter.h"

#include <gtest/gtest.h>

namespace berth::metrics {
namespace {

const std::string kText =
    "# HELP a_total [ALPHA] An A.\n"
    "# TYPE a_total counter\n"
    "a_total{name=\"x\",code=\"200\"} 1\n"
    "a_total{name=\"y, \\\"code=\\\"}\",code=\"404\"} 2\n"
    "a_total{name=\"z\",code=\"200\"} 4\n"
    "# HELP a_seconds [ALPHA] Another.\n"
    "# TYPE a_seconds histogram\n"
    "a_seconds_bucket{name=\"x\",le=\"1\"} 3\n"
    "a_seconds_sum{name=\"x\"} 0.5\n"
    "a_seconds_bucket{name=\"y\",le=\"1\"} 4\n"
    "a_seconds_sum{name=\"y\"} 0.25\n"
    "# HELP b B.\n"
    "# TYPE b gauge\n"
    "b 1.5\n";

TEST(ExpositionFilterTest, ByDefaultNothingChanges) {
  EXPECT_EQ(ExpositionFilter().Apply(kText), kText);
  EXPECT_EQ(ExpositionFilter({"other"}, {{"b,name", ""}, {"c,name", "x"}}).Apply(kText), kText);
}

TEST(ExpositionFilterTest, DisabledMetricsAreLeftOut) {
  EXPECT_EQ(ExpositionFilter({"a_total", "a_seconds"}, {}).Apply(kText), "# HELP b B.\n# TYPE b gauge\nb 1.5\n");
  EXPECT_EQ(ExpositionFilter({"a", "a_seconds_bucket"}, {}).Apply(kText), kText) << "names are whole";
}

TEST(ExpositionFilterTest, OtherValuesAreUnexpectedAndAddedUp) {
  const std::string counted = ExpositionFilter({"a_seconds", "b"}, {{"a_total,name", "x,q"}}).Apply(kText);
  EXPECT_EQ(counted,
            "# HELP a_total [ALPHA] An A.\n# TYPE a_total counter\n"
            "a_total{name=\"x\",code=\"200\"} 1\n"
            "a_total{name=\"unexpected\",code=\"404\"} 2\n"
            "a_total{name=\"unexpected\",code=\"200\"} 4\n");
  const std::string both =
      ExpositionFilter({"a_seconds", "b"}, {{"a_total,name", ""}, {"a_total,code", "404"}}).Apply(kText);
  EXPECT_EQ(both,
            "# HELP a_total [ALPHA] An A.\n# TYPE a_total counter\n"
            "a_total{name=\"unexpected\",code=\"unexpected\"} 5\n"
            "a_total{name=\"unexpected\",code=\"404\"} 2\n");
}

TEST(ExpositionFilterTest, HistogramsAreAddedUpBucketByBucket) {
  EXPECT_EQ(ExpositionFilter({"a_total", "b"}, {{"a_seconds,name", "none"}}).Apply(kText),
            "# HELP a_seconds [ALPHA] Another.\n# TYPE a_seconds histogram\n"
            "a_seconds_bucket{name=\"unexpected\",le=\"1\"} 7\n"
            "a_seconds_sum{name=\"unexpected\"} 0.75\n");
}

}  // namespace
}  // namespace berth::metrics
