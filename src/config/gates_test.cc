// SPDX-License-Identifier: Apache-2.0
// What feature gates change about a configuration.
#include "config/args/in_tree_args.h"
#include "config/defaults.h"
#include "config/known_plugins.h"
#include "config/load.h"
#include "config/test_registry.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berth::config {
namespace {

using features::FeatureGates;
using features::Gate;

FeatureGates With(const std::map<std::string, bool>& values, features::Version emulated = features::kOwnVersion) {
  return FeatureGates::FromMap(values, emulated).value();
}

std::vector<std::string> Names(const FeatureGates& gates) {
  std::vector<std::string> names;
  for (const PluginRef& plugin : DefaultMultiPoint(gates)) names.push_back(plugin.name);
  return names;
}

std::string File(const std::string& plugin, const std::string& args) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- pluginConfig:\n"
         "  - name: " +
         plugin + "\n    args: " + args + "\n";
}

// The problem of a file with these arguments; empty when it has none.
std::string Problem(const std::string& plugin, const std::string& args, const FeatureGates& gates) {
  const auto outcome = LoadConfiguration(File(plugin, args), "f", gates);
  const auto* problem = std::get_if<ConfigProblem>(&outcome);
  return problem == nullptr ? "" : problem->messages.front();
}

template <typename Args>
Args ArgsOf(const SchedulerConfiguration& config, std::string_view plugin) {
  return framework::ArgsOr<Args>(config.profiles.front().FindConfig(plugin)->args.get());
}

TEST(GatesOfConfiguration, DecideWhichPluginsRunByDefault) {
  const std::vector<std::string> usual = Names({});
  EXPECT_EQ(usual.size(), 20U);
  EXPECT_EQ(usual.back(), "NodeDeclaredFeatures");
  EXPECT_EQ(*(std::ranges::find(usual, "DynamicResources") + 1), "DefaultPreemption");

  const std::vector<std::string> old = Names(With({}, {1, 33}));
  EXPECT_EQ(std::ranges::count(old, "DynamicResources"), 0);
  EXPECT_EQ(std::ranges::count(old, "NodeDeclaredFeatures"), 0);

  const std::vector<std::string> groups =
      Names(With({{"GenericWorkload", true}, {"GangScheduling", true}, {"TopologyAwareWorkloadScheduling", true}}));
  const std::vector<std::string> last(groups.end() - 4, groups.end());
  EXPECT_EQ(last, (std::vector<std::string>{"NodeDeclaredFeatures", "GangScheduling", "TopologyPlacementGenerator",
                                            "PodGroupPodsCount"}));
}

TEST(GatesOfConfiguration, StorageCapacityScoringAllowsAShape) {
  const std::string shape = "{shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}";
  EXPECT_NE(Problem("VolumeBinding", shape, {}).find("turn on the feature gate StorageCapacityScoring"),
            std::string::npos);
  const FeatureGates scoring = With({{"StorageCapacityScoring", true}});
  EXPECT_EQ(Problem("VolumeBinding", shape, scoring), "");
  EXPECT_NE(Problem("VolumeBinding", "{shape: [{utilization: 101, score: 0}]}", scoring)
                .find("shape[0].utilization: Invalid value: 101: not in valid range [0, 100]"),
            std::string::npos);

  EXPECT_TRUE(ArgsOf<VolumeBindingArgs>(DefaultConfiguration(), "VolumeBinding").shape.empty());
  const auto points = ArgsOf<VolumeBindingArgs>(DefaultConfiguration(scoring), "VolumeBinding").shape;
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].score, 10);
  EXPECT_EQ(points[1].utilization, 100);
}

TEST(GatesOfConfiguration, TimeoutsOfDynamicResourcesNeedTheirGates) {
  const FeatureGates off = With({{"DRASchedulerFilterTimeout", false}, {"DRADeviceBindingConditions", false}});
  const auto args = ArgsOf<DynamicResourcesArgs>(DefaultConfiguration(off), "DynamicResources");
  EXPECT_EQ(args.filter_timeout, std::nullopt);
  EXPECT_EQ(args.binding_timeout, std::nullopt);
  EXPECT_EQ(ArgsOf<DynamicResourcesArgs>(DefaultConfiguration(), "DynamicResources").filter_timeout,
            std::chrono::seconds(10));

  EXPECT_EQ(Problem("DynamicResources", "{filterTimeout: 5s, bindingTimeout: 5s}", {}), "");
  EXPECT_NE(Problem("DynamicResources", "{filterTimeout: 5s}", off)
                .find("args.filterTimeout: Forbidden: DRASchedulingFilterTimeout feature gate is disabled"),
            std::string::npos);
  EXPECT_NE(Problem("DynamicResources", "{bindingTimeout: 5s}", off)
                .find("DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"),
            std::string::npos);
}

TEST(GatesOfConfiguration, ReachThePlans) {
  const auto outcome =
      LoadAndPlan(File("VolumeBinding", "{}"), "f", TestRegistry(),
                  With({{"PodLevelResources", false}, {"InPlacePodLevelResourcesVerticalScaling", false}}));
  const auto* planned = std::get_if<PlannedConfiguration>(&outcome);
  ASSERT_NE(planned, nullptr);
  EXPECT_FALSE(planned->plans.front().features.Enabled(Gate::PodLevelResources));
}

}  // namespace
}  // namespace berth::config
