// SPDX-License-Identifier: Apache-2.0
#include "simulator/record/replay.h"

#include "simulator/record/pod_past.h"
#include "simulator/run/test_run.h"

#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

const std::string kScenario =
    "metadata: {name: busy}\nseed: 5\nduration: 2h\n"
    "nodes: [{name: m, count: 3, allocatable: {cpu: 4}}]\n"
    "failures: [{group: m, poisson: {perHour: 3}, rejoin: {exponential: 10m}}]\n"
    "workloads:\n" +
    WorkloadYaml("web", "1", "count: 4, restart: true, priority: 10") +
    WorkloadYaml("job", "2", "poisson: {perHour: 30}, lifetime: {exponential: 20m}, restart: true") +
    "events: [{at: 30m, action: cordon, node: m-1}, {at: 40m, action: uncordon, node: m-1}]\n";

class ReplayTest : public ::testing::Test {
 protected:
  const TestedRun run_ = RunTested(kScenario);

  static ReplayOutcome Replayed(const RunRecord& record) {
    return Replay(record, DefaultSetup(record.header.seed), {}).value();
  }
  static size_t LineStart(const std::string& text, size_t line) {
    size_t at = 0;
    while (line-- > 0) at = text.find('\n', at) + 1;
    return at;
  }
};

TEST_F(ReplayTest, ARecordReplaysDecisionByDecision) {
  const RunRecord record = ReadRecord(run_.record, "r").value();
  EXPECT_EQ(record.damage, "");
  EXPECT_EQ(record.header.scenario, "busy");
  EXPECT_EQ(record.decisions.size(), run_.decisions.size());
  EXPECT_EQ(record.end, std::chrono::hours(2));
  const ReplayOutcome outcome = Replayed(record);
  EXPECT_EQ(outcome.decisions, run_.decisions.size());
  EXPECT_FALSE(outcome.difference) << outcome.difference->recorded << "\n" << outcome.difference->repeated;
}

TEST_F(ReplayTest, ARunWithoutADurationReplaysToItsLastMoment) {
  const TestedRun run =
      RunTested("nodes: [{name: m, allocatable: {cpu: 2}}]\nworkloads:\n" + WorkloadYaml("a", "3", ""));
  const ReplayOutcome outcome = Replayed(ReadRecord(run.record, "r").value());
  EXPECT_EQ(outcome.decisions, 2U);
  EXPECT_FALSE(outcome.difference);
}

TEST_F(ReplayTest, LinesReadBackAsTheyWereWritten) {
  const RunRecord record = ReadRecord(run_.record, "r").value();
  std::string again = HeaderLine(record.header) + "\n";
  EXPECT_EQ(run_.record.substr(0, again.size()), again);
  std::string inputs;
  for (const RecordedInput& input : record.inputs) inputs += InputLine(input) + "\n";
  std::string written;
  for (size_t at = again.size(); at < run_.record.size(); at = run_.record.find('\n', at) + 1) {
    const std::string line = run_.record.substr(at, run_.record.find('\n', at) + 1 - at);
    if (line.starts_with("{\"step\"")) written += line;
  }
  EXPECT_EQ(inputs, written);
}

TEST_F(ReplayTest, TheFirstDifferenceIsToldWithBothLines) {
  RunRecord record = ReadRecord(run_.record, "r").value();
  const std::string recorded = record.decisions[7];
  record.decisions[7] += " changed";
  ReplayOutcome outcome = Replayed(record);
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.decisions, 7U);
  EXPECT_EQ(outcome.difference->number, 8U);
  EXPECT_EQ(outcome.difference->recorded, recorded + " changed");
  EXPECT_EQ(outcome.difference->repeated, recorded);

  record = ReadRecord(run_.record, "r").value();
  const std::string last = record.decisions.back();
  record.decisions.pop_back();
  outcome = Replayed(record);
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.difference->recorded, "") << "one more was made than recorded";
  EXPECT_EQ(outcome.difference->repeated, last);

  record = ReadRecord(run_.record, "r").value();
  record.decisions.push_back("one too many");
  outcome = Replayed(record);
  ASSERT_TRUE(outcome.difference);
  EXPECT_EQ(outcome.difference->recorded, "one too many");
  EXPECT_EQ(outcome.difference->repeated, "");
}

TEST_F(ReplayTest, AnotherSeedOrConfigurationDiffers) {
  const RunRecord record = ReadRecord(run_.record, "r").value();
  EXPECT_TRUE(Replay(record, DefaultSetup(record.header.seed + 1), {})->difference);
  SchedulerSetup slower = DefaultSetup(record.header.seed);
  slower.config.pod_initial_backoff_seconds = 7;
  slower.plans.front().scheduler_name = "somebody-else";
  EXPECT_TRUE(Replay(record, slower, {})->difference);
}

TEST_F(ReplayTest, EveryPrefixReplaysAsFarAsItGoes) {
  const auto lines = static_cast<size_t>(std::count(run_.record.begin(), run_.record.end(), '\n'));
  for (size_t line = 1; line < lines; line += std::max<size_t>(lines / 12, 1)) {
    for (const size_t cut : {size_t{0}, size_t{9}}) {  // between two lines, and within one
      const RunRecord record = ReadRecord(run_.record.substr(0, LineStart(run_.record, line) + cut), "r").value();
      EXPECT_FALSE(record.end);
      EXPECT_FALSE(record.damage.empty()) << line;
      const ReplayOutcome outcome = Replayed(record);
      EXPECT_FALSE(outcome.difference) << line << ": " << outcome.difference->recorded << "\n"
                                       << outcome.difference->repeated;
      EXPECT_EQ(outcome.decisions, record.decisions.size());
    }
  }
}

TEST_F(ReplayTest, DamageIsFound) {
  const auto problem = [](const std::string& text) {
    const Result<RunRecord> record = ReadRecord(text, "r");
    return record ? record->damage : record.error().message;
  };
  EXPECT_EQ(problem(""), "r is no record of a simulation: the line is not one JSON object");
  EXPECT_EQ(problem("{\"kind\":\"Pod\"}\n"), "r is no record of a simulation: expected kind SimulationRecord");
  EXPECT_EQ(problem("{\"apiVersion\":\"berth/v9\",\"kind\":\"SimulationRecord\"}\n"),
            "r is no record of a simulation: its version \"berth/v9\" is not known here");

  std::string text = run_.record;
  text[text.find("attempt=1 placed") + 8] = '2';
  EXPECT_EQ(problem(text), "r is damaged: its checksum does not fit its content");

  text = run_.record;
  const size_t third = LineStart(text, 3);
  text.insert(third, "{\"nonsense\":1}\n");
  EXPECT_EQ(problem(text).substr(0, 18), "line 4 is damaged:");

  EXPECT_EQ(problem(run_.record + "{}\n"), "r is damaged: something follows its last line");

  text = run_.record.substr(0, run_.record.rfind('\n', run_.record.size() - 2) + 1);
  EXPECT_TRUE(problem(text).starts_with("it ends after line ")) << problem(text);
}

TEST_F(ReplayTest, APodsPastIsToldFromTheRecord) {
  const TestedRun run =
      RunTested("duration: 10m\nnodes: [{name: m, allocatable: {cpu: 2}}]\nworkloads:\n" +
                WorkloadYaml("a", "2", "lifetime: 90s") + WorkloadYaml("b", "1", "from: 1m, lifetime: 2m"));
  const RunRecord record = ReadRecord(run.record, "r").value();
  PodPast past = PastOf(record, "default/b-1");
  SchedulerSetup setup = DefaultSetup(record.header.seed);
  setup.record_scores = true;
  Replay(record, setup, [&](const scheduler::DecisionRecord& decision) {
    if (decision.pod == past.pod) past.attempts.push_back(decision);
  }).value();
  EXPECT_TRUE(past.is_placed());
  EXPECT_EQ(PodPastText(past, std::nullopt, {}),
            "Pod default/b-1: 2 attempts\n"
            "       1m  2026-01-01T00:01:00Z  arrived\n"
            "       1m  2026-01-01T00:01:00Z  attempt 1: no node\n"
            "    0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes\n"
            "    are available: 1 No preemption victims found for incoming pod.\n"
            "    NodeResourcesFit rejected 1 node: Insufficient cpu (m-1)\n"
            "    1m30s  2026-01-01T00:01:30Z  attempt 2: placed on m-1, the only node of 1\n"
            "    1m30s  2026-01-01T00:01:30Z  running\n"
            "    3m30s  2026-01-01T00:03:30Z  succeeded\n");
  const std::string second = PodPastText(past, 2, {});
  EXPECT_EQ(second.find("attempt 1"), std::string::npos) << second;
  EXPECT_NE(second.find("attempt 2: placed"), std::string::npos) << second;
}

}  // namespace
}  // namespace berth::simulator
