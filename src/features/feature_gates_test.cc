// SPDX-License-Identifier: Apache-2.0
#include "features/feature_gates.h"

#include "features/scheduling_gates.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace berth::features {
namespace {

GateFlags FlagsIn(const std::string& line) {
  GateFlags flags;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string flag = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (flag == "--feature-gates") {
      flags.feature_gates.push_back(value);
    } else if (flag == "--emulated-version") {
      flags.emulated_version.push_back(value);
    } else {
      flags.min_compatibility_version.push_back(value);
    }
  }
  return flags;
}

std::string Answer(const std::string& line) {
  const Result<FeatureGates> gates = FeatureGates::FromFlags(FlagsIn(line));
  if (!gates) return "error: " + gates.error().message;
  std::vector<std::string> changed;
  size_t on = 0;
  const std::vector<GateState> all = gates->All();
  for (const GateState& state : all) {
    if (state.on) ++on;
    if (state.on != state.on_by_default) changed.push_back(fmt::format("{}={}", state.name, state.on));
  }
  return fmt::format("ok: {} known, {} on, changed: {}", all.size(), on, fmt::join(changed, ","));
}

TEST(FeatureGatesTest, FlagsMeanWhatTheyMeanToKubeScheduler) {
  std::ifstream file(BERTH_SOURCE_DIR "/src/features/testdata/flags.txt");
  int cases = 0;
  std::string expected;
  for (std::string line; std::getline(file, line) && std::getline(file, expected); ++cases) {
    EXPECT_EQ("  " + Answer(line), expected) << line;
  }
  EXPECT_GT(cases, 60);
}

TEST(FeatureGatesTest, EverySchedulingGateIsKnownAndDescribedInItsPlace) {
  for (size_t i = 0; i < kGateCount; ++i) {
    const SchedulingGate& gate = Describe(static_cast<Gate>(i));
    EXPECT_EQ(static_cast<size_t>(gate.gate), i);
    EXPECT_FALSE(SpecsOf(gate.name).empty()) << gate.name;
    EXPECT_FALSE(gate.effect.empty()) << gate.name;
  }
}

TEST(FeatureGatesTest, TablesAreSortedAndDependenciesNameKnownGates) {
  const auto specs = AllSpecs();
  const auto before = [](const GateSpec& a, const GateSpec& b) {
    return std::tie(a.gate, a.since) < std::tie(b.gate, b.since);
  };
  EXPECT_TRUE(std::is_sorted(specs.begin(), specs.end(), before));
  EXPECT_TRUE(std::ranges::is_sorted(Dependencies(), {}, &Dependency::gate));
  for (const Dependency& dependency : Dependencies()) {
    EXPECT_FALSE(SpecsOf(dependency.gate).empty()) << dependency.gate;
    EXPECT_FALSE(SpecsOf(dependency.needs).empty()) << dependency.needs;
  }
}

TEST(FeatureGatesTest, WithoutFlagsEverythingIsAsInOurRelease) {
  const FeatureGates gates;
  EXPECT_TRUE(gates.Enabled(Gate::SchedulerQueueingHints));
  EXPECT_TRUE(gates.Enabled(Gate::SchedulerAsyncPreemption));
  EXPECT_FALSE(gates.Enabled(Gate::SchedulerAsyncAPICalls));
  EXPECT_FALSE(gates.Enabled(Gate::GangScheduling));
  EXPECT_EQ(gates.Enabled("WinDSR"), true);
  EXPECT_EQ(gates.Enabled("NoSuchGate"), std::nullopt);
  EXPECT_EQ(gates.emulated_version(), kOwnVersion);
}

TEST(FeatureGatesTest, EmulatingAnOlderReleaseBringsBackItsDefaults) {
  const FeatureGates gates = FeatureGates::FromFlags({{}, {"kube=1.34"}, {}}).value();
  EXPECT_EQ(gates.emulated_version(), (Version{1, 34}));
  EXPECT_FALSE(gates.Enabled(Gate::NodeDeclaredFeatures));
  EXPECT_FALSE(gates.Enabled(Gate::OpportunisticBatching));
  EXPECT_EQ(gates.Enabled("OpportunisticBatching"), std::nullopt);  // no such gate in 1.34
  EXPECT_EQ(gates.State(Gate::NominatedNodeNameForExpectation).stage, Stage::Alpha);
}

// Those that change the loop around decisions.
TEST(FeatureGatesTest, EveryReleaseHasItsOwnDefaultsForTheLoop) {
  const struct {
    Gate gate;
    std::string_view since_1_33;  // on or off in 1.33, 1.34, 1.35, 1.36
  } cases[] = {{Gate::SchedulerAsyncPreemption, "1111"},
               {Gate::SchedulerAsyncAPICalls, "0000"},
               {Gate::NominatedNodeNameForExpectation, "0011"},
               {Gate::SchedulerQueueingHints, "1111"},
               {Gate::SchedulerPopFromBackoffQ, "1111"},
               {Gate::OpportunisticBatching, "0011"},
               {Gate::PodLevelResources, "0111"},
               {Gate::InPlacePodLevelResourcesVerticalScaling, "0001"},
               {Gate::ClearingNominatedNodeNameAfterBinding, "0011"}};
  for (const auto& [gate, on] : cases) {
    for (uint64_t i = 0; i < on.size(); ++i) {
      const FeatureGates gates = FeatureGates::FromMap({}, Version{1, 33 + i}).value();
      EXPECT_EQ(gates.Enabled(gate), on[i] == '1') << Describe(gate).name << " in 1." << 33 + i;
    }
  }
  EXPECT_FALSE(FeatureGates::FromMap({{"SchedulerQueueingHints", false}}).has_value()) << "locked since 1.34";
  EXPECT_FALSE(FeatureGates::FromMap({{"SchedulerQueueingHints", false}}, Version{1, 33})
                   .value()
                   .Enabled(Gate::SchedulerQueueingHints));
}

TEST(FeatureGatesTest, TellsWhoDecided) {
  const FeatureGates gates =
      FeatureGates::FromMap({{"AllAlpha", true}, {"VolumeLimitScaling", false}, {"SchedulerAsyncAPICalls", true}})
          .value();
  EXPECT_EQ(gates.State(Gate::StorageCapacityScoring).origin, Origin::AllAlpha);
  EXPECT_TRUE(gates.Enabled(Gate::StorageCapacityScoring));
  EXPECT_EQ(gates.State(Gate::VolumeLimitScaling).origin, Origin::Set);
  EXPECT_FALSE(gates.Enabled(Gate::VolumeLimitScaling));
  EXPECT_EQ(gates.State(Gate::SchedulerAsyncAPICalls).origin, Origin::Set);
  EXPECT_EQ(gates.State(Gate::SchedulerAsyncPreemption).origin, Origin::Default);
}

TEST(FeatureGatesTest, TextGivesTheSameGatesAgain) {
  const FeatureGates gates =
      FeatureGates::FromMap({{"AllAlpha", true}, {"VolumeLimitScaling", false}}, Version{1, 35}).value();
  EXPECT_EQ(gates.Text(), "AllAlpha=true,VolumeLimitScaling=false");
  const FeatureGates again = FeatureGates::FromFlags({{gates.Text()}, {gates.emulated_version().Text()}, {}}).value();
  for (size_t i = 0; i < kGateCount; ++i) {
    EXPECT_EQ(again.Enabled(static_cast<Gate>(i)), gates.Enabled(static_cast<Gate>(i)));
  }
}

TEST(FeatureGatesTest, VersionsAreReadAsUpstreamReadsThem) {
  EXPECT_EQ(ParseVersion(" v1.34-rc.1", "kube").value(), (Version{1, 34}));
  EXPECT_EQ(ParseVersion("01.34", "kube").error().message,
            "illegal zero-prefixed version component \"01\" in \"01.34\"");
  EXPECT_EQ(ParseVersion("1.34.2-rc.1", "kube").error().message, "patch version not allowed, got: kube=1.34.2-rc.1");
}

}  // namespace
}  // namespace berth::features
