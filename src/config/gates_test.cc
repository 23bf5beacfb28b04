// SPDX-License-Identifier: Apache-2.0
// How feature gates affect a configuration.
#include "config/defaults.h"
#include "config/known_plugins.h"
#include "config/load.h"
#include "plugins/dynamic_resources/dynamic_resources_args.h"
#include "plugins/registry.h"
#include "plugins/volume_binding/volume_binding_args.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berth::config {
namespace {

using features::FeatureGates;
using features::Gate;
using plugins::DynamicResourcesArgs;
using plugins::VolumeBindingArgs;

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

// The first problem of a file with these arguments; empty when it has none.
std::string Problem(const std::string& plugin, const std::string& args, const FeatureGates& gates) {
  const auto outcome = LoadConfiguration(File(plugin, args), "f", plugins::InTreeRegistry(), gates);
  const auto* problem = std::get_if<ConfigProblem>(&outcome);
  return problem == nullptr ? "" : problem->messages.front();
}

SchedulerConfiguration Defaults(const FeatureGates& gates) {
  return DefaultConfiguration(plugins::InTreeRegistry(), gates);
}

template <typename Args>
Args ArgsOf(const SchedulerConfiguration& config, std::string_view plugin) {
  return dynamic_cast<const Args&>(*config.profiles.front().FindConfig(plugin)->args);
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
  EXPECT_EQ(Problem("VolumeBinding", "{shape: []}", scoring), "");  // the default one
  EXPECT_NE(Problem("VolumeBinding", "{shape: []}", {}), "");
  EXPECT_NE(Problem("VolumeBinding", "{shape: [{utilization: 101, score: 0}]}", scoring)
                .find("shape[0].utilization: Invalid value: 101: not in valid range [0, 100]"),
            std::string::npos);

  EXPECT_FALSE(ArgsOf<VolumeBindingArgs>(Defaults({}), "VolumeBinding").shape.has_value());
  const auto points = ArgsOf<VolumeBindingArgs>(Defaults(scoring), "VolumeBinding").shape.value();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].score, 10);
  EXPECT_EQ(points[1].utilization, 100);
}

TEST(GatesOfConfiguration, TimeoutsOfDynamicResourcesNeedTheirGates) {
  const FeatureGates off = With({{"DRASchedulerFilterTimeout", false}, {"DRADeviceBindingConditions", false}});
  const auto args = ArgsOf<DynamicResourcesArgs>(Defaults(off), "DynamicResources");
  EXPECT_EQ(args.filter_timeout, std::nullopt);
  EXPECT_EQ(args.binding_timeout, std::nullopt);
  EXPECT_EQ(ArgsOf<DynamicResourcesArgs>(Defaults({}), "DynamicResources").filter_timeout, std::chrono::seconds(10));

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
      LoadAndPlan(File("VolumeBinding", "{}"), "f", plugins::InTreeRegistry(),
                  With({{"PodLevelResources", false}, {"InPlacePodLevelResourcesVerticalScaling", false}}));
  const auto* planned = std::get_if<PlannedConfiguration>(&outcome);
  ASSERT_NE(planned, nullptr);
  EXPECT_FALSE(planned->plans.front().features.Enabled(Gate::PodLevelResources));
}

}  // namespace
}  // namespace berth::config
