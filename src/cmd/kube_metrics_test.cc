// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_metrics.h"

#include "cmd/test_commands.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

class KubeMetricsTest : public ::testing::Test, public TestCommands {};

TEST_F(KubeMetricsTest, GatesHaveTheirStages) {
  const auto gates = features::FeatureGates::FromMap({{"GangScheduling", true}, {"GenericWorkload", true}});
  ASSERT_TRUE(gates) << gates.error().message;
  const auto states = FeatureStatesOf(*gates);
  const auto find = [&](std::string_view name) {
    return std::ranges::find(states, name, &metrics::FeatureState::name);
  };
  ASSERT_NE(find("GangScheduling"), states.end());
  EXPECT_EQ(find("GangScheduling")->stage, "ALPHA");
  EXPECT_TRUE(find("GangScheduling")->on);
  ASSERT_NE(find("AllBeta"), states.end());
  EXPECT_EQ(find("AllBeta")->stage, "BETA");
  EXPECT_FALSE(find("AllBeta")->on);
  ASSERT_NE(find("DRAAdminAccess"), states.end());
  EXPECT_EQ(find("DRAAdminAccess")->stage, "") << "GA";
}

TEST_F(KubeMetricsTest, FlagsFilterExpositions) {
  const std::string text = "# HELP a A.\n# TYPE a gauge\na{l=\"1\"} 1\n# HELP b B.\n# TYPE b gauge\nb{l=\"1\"} 1\n";
  MetricsFlags flags;
  flags.disabled_metrics = {"a"};
  flags.allow_metric_labels_manifest = File("labels.yaml", "\"b,l\": \"2,3\"\n");
  const Result<metrics::ExpositionFilter> filter = ExpositionFilterOf(flags);
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_EQ(filter->Apply(text), "# HELP b B.\n# TYPE b gauge\nb{l=\"unexpected\"} 1\n");
  flags.allow_metric_labels_manifest = "/no/such/file";
  EXPECT_FALSE(ExpositionFilterOf(flags));
}

}  // namespace
}  // namespace berth::cmd
