// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "config/load.h"
#include "plugins/registry.h"

#include <filesystem>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

// Checks every recorded configuration against upstream's outcome, by the rules in the folder's README.
namespace berth::config {
namespace {

using api::Value;

std::string TextOf(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value == nullptr ? "" : value->text();
}

// Files that are invalid in their own version too, or need a missing file.
bool StaysAnError(const std::string& file) {
  static const std::set<std::string> kErrors = {"public/020", "public/022", "public/024", "public/108"};
  return kErrors.contains(file.substr(0, 10));
}

// The field paths, plugins and profiles that upstream's error names.
std::vector<std::string> NamedIn(const std::string& error) {
  static const std::regex kPatterns[] = {
      std::regex(R"re(unknown field "([^"]+)")re"),
      std::regex(R"re(key "([^"]+)" already set)re"),
      std::regex(R"re(duplicate field "([^"]+)")re"),
      std::regex(R"re(decoding \.(profiles\[\d+\]\.pluginConfig\[\d+\]))re"),
      std::regex(R"re(Go struct field \S*\.([A-Za-z]+) of type)re"),
      std::regex(
          R"re(([A-Za-z][A-Za-z0-9_.\[\]]*): (?:Invalid value|Required value|Duplicate|Unsupported|Forbidden))re"),
      std::regex(R"re(Plugin "([^"]+)" does not exist)re"),
      std::regex(R"re(plugin "([^"]+)")re"),
      std::regex(R"re(scheduler name ([^ :]+):)re"),
      std::regex(R"re(for profile "([^"]+)")re"),
      std::regex(R"re(open (\S+):)re"),
  };
  std::vector<std::string> names;
  for (const std::regex& pattern : kPatterns) {
    for (std::sregex_iterator it(error.begin(), error.end(), pattern), end; it != end; ++it) names.push_back((*it)[1]);
  }
  return names;
}

void ExpectSameProfile(const Value& expected, const ProfilePlan& plan) {
  EXPECT_EQ(plan.scheduler_name, TextOf(expected, "schedulerName"));
  const Value* points = expected.Find("points");
  ASSERT_NE(points, nullptr);
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    std::vector<std::string> ours;
    for (const PlannedPlugin& plugin : plan.at(point)) ours.push_back(plugin.name);
    std::vector<std::string> theirs;
    if (const Value* list = points->Find(framework::PointKey(point))) {
      for (const Value& name : list->items()) theirs.push_back(name.text());
    }
    EXPECT_EQ(ours, theirs) << plan.scheduler_name << " " << framework::PointKey(point);
  }
  const Value* weights = expected.Find("scoreWeights");
  for (const PlannedPlugin& plugin : plan.at(framework::ExtensionPoint::Score)) {
    ASSERT_NE(weights, nullptr);
    EXPECT_EQ(std::to_string(plugin.weight), TextOf(*weights, plugin.name)) << plugin.name;
  }
}

void ExpectSameOutcome(const Value& expected, const PlannedConfiguration& ours) {
  const SchedulerConfiguration& config = ours.loaded.config;
  const Value* profiles = expected.Find("profiles");
  ASSERT_NE(profiles, nullptr);
  ASSERT_EQ(profiles->items().size(), ours.plans.size());
  for (size_t i = 0; i < ours.plans.size(); ++i) ExpectSameProfile(profiles->items()[i], ours.plans[i]);
  const Value* extenders = expected.Find("extenders");
  EXPECT_EQ(std::to_string(config.extenders.size()), extenders == nullptr ? "0" : extenders->text());
  EXPECT_EQ(std::to_string(config.percentage_of_nodes_to_score), TextOf(expected, "percentageOfNodesToScore"));
  const Value::Items& backoff = expected.Find("backoffSeconds")->items();
  EXPECT_EQ(std::to_string(config.pod_initial_backoff_seconds), backoff.at(0).text());
  EXPECT_EQ(std::to_string(config.pod_max_backoff_seconds), backoff.at(1).text());
}

void ExpectConverted(const std::string& file, const OrProblem<PlannedConfiguration>& ours) {
  const auto* problem = std::get_if<ConfigProblem>(&ours);
  if (StaysAnError(file)) {
    EXPECT_NE(problem, nullptr) << file << " should stay an error";
    return;
  }
  // Out-of-tree plugins and files of the original machine are missing here; the build step reports them.
  if (problem == nullptr) return;
  EXPECT_EQ(problem->stage, Stage::Build) << fmt::format("{}", fmt::join(problem->messages, "\n"));
}

void Compare(const std::filesystem::path& folder, const Value& expected) {
  const std::string file = TextOf(expected, "file");
  SCOPED_TRACE(file);
  const framework::Registry registry = plugins::InTreeRegistry();
  const OrProblem<PlannedConfiguration> ours = LoadAndPlanFile((folder / file).string(), registry);
  if (TextOf(expected, "berth") == "convert") return ExpectConverted(file, ours);
  const std::string stage = TextOf(expected, "stage");
  if (const auto* planned = std::get_if<PlannedConfiguration>(&ours)) {
    ASSERT_EQ(stage, "ok") << TextOf(expected, "error");
    ExpectSameOutcome(expected, *planned);
    return;
  }
  const ConfigProblem& problem = std::get<ConfigProblem>(ours);
  const std::string text = fmt::format("{}", fmt::join(problem.messages, "\n"));
  EXPECT_EQ(StageName(problem.stage), stage) << text;
  for (const std::string& name : NamedIn(TextOf(expected, "error"))) {
    EXPECT_NE(text.find(name), std::string::npos) << name << " is not named in\n" << text;
  }
}

void CompareFolder(const std::filesystem::path& folder) {
  const auto documents = api::ReadDocumentsFromFile((folder / "expected.jsonl").string());
  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_FALSE(documents->empty());
  size_t failed = 0;
  for (const api::Document& document : *documents) {
    const int before = ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
    Compare(folder, document.root);
    const int after = ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
    failed += after != before ? 1 : 0;
  }
  fmt::print("{} of {} files as upstream has them\n", documents->size() - failed, documents->size());
}

// Those of this repository, and the larger set beside it where that is available.
TEST(ConfigConformance, RecordedFilesAreReadAsUpstreamReadsThem) {
  CompareFolder(BERTH_SOURCE_DIR "/conformance/configs");
  const std::filesystem::path larger = BERTH_SOURCE_DIR "/../shared/conformance/configs";
  if (std::filesystem::exists(larger / "expected.jsonl")) CompareFolder(larger);
}

}  // namespace
}  // namespace berth::config
