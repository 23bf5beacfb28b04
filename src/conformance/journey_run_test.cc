// SPDX-License-Identifier: Apache-2.0
#include "conformance/journey_run.h"

#include "api/document.h"
#include "api/encode.h"
#include "conformance/case_cluster.h"
#include "conformance/random_journey.h"
#include "conformance/random_run.h"
#include "conformance/run.h"
#include "plugins/registry.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::conformance {
namespace {

using api::Value;

constexpr uint64_t kSeed = 20261;

JourneyOutcome Journey(uint64_t number, bool write = false,
                       const framework::Registry& registry = plugins::InTreeRegistry()) {
  Result<JourneyOutcome> outcome = RunJourney(kSeed, number, registry, write);
  EXPECT_TRUE(outcome.has_value());
  return std::move(*outcome);
}

// The in-tree plugins, with one of them modified.
framework::Registry With(std::string_view plugin, const std::function<void(framework::PluginInstance&)>& change) {
  std::vector<framework::PluginEntry> entries = plugins::InTreeRegistry().entries();
  for (framework::PluginEntry& entry : entries) {
    if (entry.name != plugin) continue;
    entry.make = [make = entry.make, change](const framework::PluginArgs* args,
                                             framework::Handle& handle) -> Result<framework::PluginInstance> {
      BERTH_ASSIGN_OR_RETURN(framework::PluginInstance instance, make(args, handle));
      change(instance);
      return instance;
    };
  }
  return framework::Registry(std::move(entries));
}

struct ForgetfulFilter final : framework::FilterAllPlugin {
  framework::Status FilterAll(const framework::CycleState& /*state*/, const framework::PodInfo& /*pod*/,
                              const framework::ClusterView& /*cluster*/,
                              framework::Verdicts& /*verdicts*/) const override {
    return {};
  }
};

struct HastyScore final : framework::ScoreAllPlugin {
  framework::Status ScoreAll(const framework::CycleState& /*state*/, const framework::PodInfo& /*pod*/,
                             const framework::ClusterView& /*cluster*/, framework::ScoreColumn& scores) const override {
    scores.SetAll(1);
    return {};
  }
};

std::string FirstDifference(const framework::Registry& registry) {
  for (uint64_t number = 0; number < 60; ++number) {
    const JourneyOutcome outcome = Journey(number, false, registry);
    if (!outcome.difference) continue;
    std::string text;
    for (const std::string& field : outcome.difference->fields) text += field.substr(0, field.find(':')) + " ";
    return text;
  }
  return "none";
}

TEST(JourneyRun, AColumnarFilterThatForgetsIsNoticed) {
  static ForgetfulFilter forgetful;
  const std::string fields =
      FirstDifference(With("NodeResourcesFit", [](auto& plugin) { plugin.filter_all = &forgetful; }));
  EXPECT_NE(fields.find("filter"), std::string::npos) << fields;
}

TEST(JourneyRun, AColumnarScoreThatGuessesIsNoticed) {
  static HastyScore hasty;
  const std::string fields = FirstDifference(With("NodeResourcesFit", [](auto& plugin) { plugin.score_all = &hasty; }));
  EXPECT_NE(fields.find("scores"), std::string::npos) << fields;
}

struct OwnedHint final : framework::EnqueueExtensions {
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override {
    return {{{framework::EventResource::Pod, framework::kDelete | framework::kAdd},
             [](const framework::PodInfo& pod, const api::Object*, const api::Object*) {
               return Result<framework::QueueingHint>(pod->meta.name.back() % 2 == 0
                                                          ? framework::QueueingHint::Queue
                                                          : framework::QueueingHint::QueueSkip);
             },
             /*by_template=*/true}};
  }
};

TEST(JourneyRun, AHintThatReadsMoreThanItsTemplateIsNoticed) {
  static OwnedHint owned;
  const std::string fields =
      FirstDifference(With("NodeResourcesFit", [](auto& plugin) { plugin.enqueue_extensions = &owned; }));
  EXPECT_NE(fields.find("new-"), std::string::npos) << fields;
}

TEST(JourneyRun, SameNumbersGiveTheSameJourney) {
  EXPECT_EQ(api::ToJson(Journey(3, true).written), api::ToJson(Journey(3, true).written));
  EXPECT_NE(api::ToJson(Journey(3, true).written), api::ToJson(Journey(4, true).written));
}

TEST(JourneyRun, DocumentsGiveTheObjectsBack) {
  for (uint64_t number = 0; number < 20; ++number) {
    for (const api::Object& object : RandomJourney(kSeed, number).Objects()) {
      const Value written = api::Encode(object);
      const Result<api::Object> read = CaseCluster::ReadObject(written);
      ASSERT_TRUE(read.has_value());
      ASSERT_EQ(api::ToJson(api::Encode(*read)), api::ToJson(written));
    }
  }
}

TEST(JourneyRun, WrittenJourneysCanBeComparedLater) {
  const std::string path = testing::TempDir() + "/berth_journey.jsonl";
  size_t decisions = 0;
  {
    std::ofstream file(path);
    for (uint64_t number = 0; number < 8; ++number) {
      const JourneyOutcome outcome = Journey(number, true);
      decisions += outcome.decisions;
      file << api::ToJson(outcome.written) << '\n';
    }
  }
  std::FILE* out = std::tmpfile();
  const Result<RunSummary> summary = conformance::Run({{path}, {}}, plugins::InTreeRegistry(), out);
  std::fclose(out);
  std::filesystem::remove(path);
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->passed, decisions);
  EXPECT_EQ(summary->failed, 0U);
}

// What the journeys exercised. Comparing plugins that never reject or score proves nothing.
class Coverage {
 public:
  void Add(const Value& journey) {
    for (const Value& step : journey.Find("steps")->items()) {
      seen_[step.Find("op")->text()].insert("");
      const Value* expect = step.Find("expect");
      if (expect != nullptr) AddDecision(*expect);
    }
  }
  bool Has(const std::string& what, const std::string& who = {}) const {
    const auto it = seen_.find(what);
    return it != seen_.end() && (who.empty() || it->second.contains(who));
  }

 private:
  void AddDecision(const Value& expect) {
    for (const Value::Member& member : expect.members()) seen_[member.key].insert("");
    if (const Value* each = expect.Find("filterEach")) {
      for (const Value::Member& plugin : each->members()) seen_["rejects"].insert(plugin.key);
    }
    if (const Value* rejectors = expect.Find("rejectors")) {
      for (const Value& plugin : rejectors->items()) seen_["rejects"].insert(plugin.text());
    }
    if (const Value* scores = expect.Find("scores")) {
      for (const Value::Member& plugin : scores->members()) {
        std::set<std::string> values;
        for (const Value& value : plugin.value.Find("final")->items()) values.insert(value.text());
        if (values.size() > 1) seen_["prefers"].insert(plugin.key);
      }
    }
    if (const Value* part = expect.Find("postFilter"); part != nullptr && part->Find("candidates") != nullptr) {
      seen_["evicts"].insert("");
    }
  }
  std::map<std::string, std::set<std::string>> seen_;
};

TEST(RandomJourney, EveryPluginHasSomethingToSay) {
  Coverage coverage;
  for (uint64_t number = 0; number < 40; ++number) coverage.Add(Journey(number, true).written);
  for (const char* plugin : {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
                             "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
                             "PodTopologySpread", "InterPodAffinity", "NodeDeclaredFeatures", "DynamicResources"}) {
    EXPECT_TRUE(coverage.Has("rejects", plugin)) << plugin;
  }
  for (const char* plugin : {"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread",
                             "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality"}) {
    EXPECT_TRUE(coverage.Has("prefers", plugin)) << plugin;
  }
  for (const char* what : {"addNode", "updateNode", "deleteNode", "addPod", "updatePod", "deletePod", "addObject",
                           "updateObject", "deleteObject", "schedule", "preEnqueue", "evicts", "failure"}) {
    EXPECT_TRUE(coverage.Has(what)) << what;
  }
}

TEST(RandomRun, TellsHowToSeeADifferenceAgain) {
  static HastyScore hasty;
  const framework::Registry registry = With("NodeResourcesFit", [](auto& plugin) { plugin.score_all = &hasty; });
  std::ostringstream out;
  std::ostringstream progress;
  RandomOptions options;
  options.seed = kSeed;
  options.journeys = 60;
  const Result<RandomSummary> summary = RunRandom(options, registry, out, progress);
  ASSERT_TRUE(summary.has_value());
  EXPECT_GT(summary->differences, 0U);
  EXPECT_NE(out.str().find(fmt::format("--random --seed {} --journey ", kSeed)), std::string::npos) << out.str();
}

TEST(RandomRun, NoDifferenceIsToldInALine) {
  std::ostringstream out;
  std::ostringstream progress;
  RandomOptions options;
  options.journey = 5;
  const Result<RandomSummary> summary = RunRandom(options, plugins::InTreeRegistry(), out, progress);
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(out.str(), fmt::format("1 journeys, {} steps, no difference\n", summary->steps));
  EXPECT_GT(summary->decisions, 0U);
}

}  // namespace
}  // namespace berth::conformance
