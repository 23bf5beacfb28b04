// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/event_plan.h"

#include "simulator/scenario/decode.h"

#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

constexpr std::string_view kNodes =
    "nodes: [{name: node, count: 2, allocatable: {cpu: 4}, join: {from: 1m, every: 10s}}]\n";

Scenario Read(const std::string& yaml) {
  const std::string text = "apiVersion: berth/v1alpha1\nkind: Scenario\n" + yaml;
  Result<Scenario> scenario = DecodeScenario(api::ReadDocuments(text, "test.yaml").value().front());
  EXPECT_TRUE(scenario) << scenario.error().message;
  return *std::move(scenario);
}

std::string Workload(const std::string& name, const std::string& fields) {
  return "- {name: " + name + ", " + fields + ", template: {spec: {containers: [{name: c}]}}}\n";
}

std::string Seconds(Duration at) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(at).count());
}

// "60n 70n 80w", at most `most` of them: seconds, and the first letter of the action.
std::string Unrolled(const Scenario& scenario, size_t most = 20, uint64_t seed = 0) {
  EventPlan plan(scenario, seed);
  std::string text;
  for (; plan.next() && most > 0; --most) {
    text += Seconds(*plan.next());
    const PlannedAction action = plan.Take();
    if (const auto* joins = std::get_if<NodeJoins>(&action)) text += scenario.nodes[joins->group].name[0];
    if (const auto* pod = std::get_if<PodArrives>(&action)) text += scenario.workloads[pod->workload].name[0];
    if (std::holds_alternative<NodeFails>(action)) text += "!";
    if (std::holds_alternative<EventHappens>(action)) text += "*";
    text += " ";
  }
  return text;
}

TEST(EventPlan, EverythingComesInItsOrder) {
  const Scenario scenario =
      Read(std::string(kNodes) + "workloads:\n" + Workload("web", "count: 3, from: 1m, every: 10s") +
           Workload("job", "count: 2, from: 70s") +
           "failures: [{group: node, every: 10s, from: 60s, count: 2}]\n"
           "events:\n"
           "- {at: 70s, action: cordon, node: node-1}\n"
           "- {at: 5s, action: scale, workload: web, replicas: 1}\n"
           "- {at: 70s, action: uncordon, node: node-1}\n");
  EXPECT_EQ(Unrolled(scenario), "5* 60n 60! 60w 70n 70* 70* 70! 70w 70j 70j 80w ");
}

TEST(EventPlan, ArrivalsKeepTheirPaceTheirBatchAndTheirEnd) {
  const auto unrolled = [](const std::string& fields) {
    return Unrolled(Read("duration: 1h\nworkloads:\n" + Workload("w", fields)), 6);
  };
  EXPECT_EQ(unrolled("from: 5s"), "5w ");
  EXPECT_EQ(unrolled("count: 3"), "0w 0w 0w ");
  EXPECT_EQ(unrolled("every: 10s, until: 30s"), "0w 10w 20w ");
  EXPECT_EQ(unrolled("every: 10s, from: 3s, count: 4, batch: 3"), "3w 3w 3w 13w ");
  EXPECT_EQ(unrolled("every: 1s"), "0w 1w 2w 3w 4w 5w ") << "without an end";
  EXPECT_EQ(unrolled("poisson: {perHour: 1}, until: 1s"), "");
}

TEST(EventPlan, EqualSeedsGiveEqualPlansAndOthersGiveOthers) {
  const Scenario scenario = Read("duration: 24h\nworkloads:\n" + Workload("w", "poisson: {perHour: 60}") +
                                 Workload("v", "poisson: {perHour: 60}"));
  EXPECT_EQ(Unrolled(scenario, 50, 7), Unrolled(scenario, 50, 7));
  EXPECT_NE(Unrolled(scenario, 50, 7), Unrolled(scenario, 50, 8));
}

TEST(EventPlan, AWorkloadComesAtTheSameTimesWhateverElseHappens) {
  const std::string web = Workload("web", "poisson: {perHour: 60}");
  const Scenario alone = Read("duration: 24h\nworkloads:\n" + web);
  const Scenario among = Read("duration: 24h\n" + std::string(kNodes) + "workloads:\n" + Workload("job", "count: 100") +
                              web + "events: [{at: 1s, action: cordon, node: node-1}]\n");
  EventPlan first(alone, 3);
  EventPlan second(among, 3);
  for (int i = 0; i < 100; ++i) {
    const Duration at = *first.next();
    first.Take();
    while (true) {
      const Duration other = *second.next();
      const PlannedAction action = second.Take();
      const auto* pod = std::get_if<PodArrives>(&action);
      if (pod == nullptr || pod->workload != 1) continue;
      EXPECT_EQ(other, at);
      break;
    }
  }
}

TEST(EventPlan, AMeanRateIsKeptInTheLongRun) {
  const Scenario scenario =
      Read("duration: 1h\nworkloads:\n" + Workload("w", "poisson: {perHour: 3600}, count: 10000"));
  EventPlan plan(scenario, 1);
  Duration last{};
  while (plan.next()) {
    last = *plan.next();
    plan.Take();
  }
  EXPECT_NEAR(std::chrono::duration<double>(last).count(), 10'000, 300);
}

TEST(EventPlan, DrawnSpansStayInTheirBounds) {
  using std::chrono::seconds;
  Rng rng(5);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Duration uniform = Draw({Span::Shape::Uniform, seconds(5), seconds(7)}, rng);
    EXPECT_GE(uniform, seconds(5));
    EXPECT_LE(uniform, seconds(7));
    sum += std::chrono::duration<double>(Draw({Span::Shape::Exponential, seconds(10), {}}, rng)).count();
    EXPECT_LE(Draw({Span::Shape::Exponential, kLongestTime, {}}, rng), kLongestTime);
  }
  EXPECT_NEAR(sum / 10'000, 10, 0.5);
  EXPECT_EQ(Draw({Span::Shape::Fixed, Duration(1'500'000'001), {}}, rng), Duration(1'500'000'001));
}

}  // namespace
}  // namespace berth::simulator
