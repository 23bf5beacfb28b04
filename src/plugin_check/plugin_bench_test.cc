// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/plugin_bench.h"

#include "plugin_check/bench_text.h"
#include "plugin_check/check_cluster.h"
#include "plugin_check/random_objects.h"

#include <gtest/gtest.h>

namespace berth::plugin_check {
namespace {

using framework::ExtensionPoint;
using framework::Status;

constexpr BenchOptions kQuick{1, std::chrono::nanoseconds(1)};

struct RejectsAll final : framework::FilterPlugin {
  Status Filter(const framework::CycleState&, const framework::PodInfo&, const framework::NodeInfo&) const override {
    return Status::Unschedulable("never");
  }
};
struct Breaks final : framework::FilterPlugin {
  Status Filter(const framework::CycleState&, const framework::PodInfo&, const framework::NodeInfo&) const override {
    return Status::FromError("broken");
  }
};

class PluginBenchTest : public ::testing::Test {
 protected:
  PluginBenchTest() {
    for (const api::Object& object : RandomObjects({.nodes = 10, .pods = 4})) cluster_.Add(object);
  }
  Result<std::vector<Cost>> Measure(const framework::PluginEntry& entry) {
    config::ProfilePlan plan;
    for (const ExtensionPoint point : framework::kExtensionPoints) {
      if (entry.points.Has(point)) plan.at(point).push_back({entry.name, 1});
    }
    const auto profile = cluster_.Build(plan, framework::Registry({entry}));
    return PluginBench(*profile.value(), entry.name, kQuick).Measure(cluster_.pending());
  }

  SystemClock clock_;
  CheckCluster cluster_{clock_, {}};
};

TEST_F(PluginBenchTest, EveryStepIsMeasuredByALoopAndByTheRuntime) {
  const Result<std::vector<Cost>> costs = Measure(LeastPluginEntry());
  ASSERT_TRUE(costs) << costs.error().message;
  std::string steps;
  for (const Cost& cost : *costs) {
    steps += std::string(cost.step) + " " + std::string(cost.form) + " " + std::string(cost.by) + "\n";
    EXPECT_GT(cost.per_call, 0);
    EXPECT_DOUBLE_EQ(cost.per_node, cost.per_call / 10);
  }
  EXPECT_EQ(steps, "Filter plain a loop\nFilter plain runtime\nScore plain a loop\nScore plain runtime\n");
}

TEST_F(PluginBenchTest, WhatCannotBeMeasuredIsSaid) {
  EXPECT_EQ(Measure(framework::Entry<RejectsAll>("Rejects")).error().message,
            "none of 4 pods may go anywhere: there is nothing to measure");
  EXPECT_EQ(Measure(framework::Entry<Breaks>("Breaks")).error().message, "running \"Breaks\" filter plugin: broken");
}

TEST(BenchText, TimesHaveUnitsThatSuitThem) {
  EXPECT_EQ(NanosecondsText(3.14), "3.1 ns");
  EXPECT_EQ(NanosecondsText(31415.9), "31.42 µs");
  EXPECT_EQ(NanosecondsText(3141592.6), "3.14 ms");
  const MeasuredPlugin measured{"Mine", {{"Filter", "plain", "runtime", 5000, 10}, {"PreFilter", "", "a loop", 80, 0}}};
  EXPECT_EQ(BenchText(std::span(&measured, 1), {}),
            "PLUGIN  STEP       FORM   CALLED BY  PER POD  PER NODE\n"
            "Mine    Filter     plain  runtime    5.00 µs   10.0 ns\n"
            "Mine    PreFilter  -      a loop     80.0 ns         -\n");
}

}  // namespace
}  // namespace berth::plugin_check
