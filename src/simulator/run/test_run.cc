// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/test_run.h"

#include "api/manifest.h"
#include "config/defaults.h"
#include "config/encode.h"
#include "config/plan.h"
#include "plugins/registry.h"
#include "simulator/run/virtual_run.h"
#include "simulator/scenario/decode.h"
#include "text/duration.h"

#include <fmt/format.h>

namespace berth::simulator {
namespace {

using text::DurationText;

const framework::Registry& Registry() {
  static const framework::Registry registry = plugins::InTreeRegistry();
  return registry;
}

std::string Short(const scheduler::DecisionRecord& decision, Timestamp start) {
  const std::string pod = decision.pod.substr(decision.pod.find('/') + 1);
  const bool placed = decision.outcome == scheduler::Decision::Outcome::Placed;
  const std::string outcome = placed                             ? "on " + decision.node
                              : !decision.nominated_node.empty() ? "promised " + decision.nominated_node
                              : decision.rejectors.empty()       ? "error"
                                                                 : "waits";
  return fmt::format("{} {} {}", DurationText(decision.time - start), pod, outcome);
}

}  // namespace

Scenario ReadScenario(const std::string& yaml) {
  const std::string text = "apiVersion: berth/v1alpha1\nkind: Scenario\n" + yaml;
  Result<Scenario> scenario = DecodeScenario(api::ReadDocuments(text, "test.yaml").value().front());
  if (!scenario) fmt::print(stderr, "{}\n", scenario.error().message);
  return std::move(scenario).value();
}

SchedulerSetup DefaultSetup(uint64_t seed) {
  SchedulerSetup setup;
  setup.config = config::DefaultConfiguration(Registry());
  setup.plans = config::PlanProfiles(setup.config, Registry()).value();
  setup.registry = framework::Borrowed(Registry());
  setup.seed = seed;
  return setup;
}

TestedRun RunTested(const std::string& yaml, const std::string& objects) {
  const Scenario scenario = ReadScenario(yaml);
  const SchedulerSetup setup = DefaultSetup(scenario.seed);
  std::vector<api::Document> documents;
  if (!objects.empty()) documents = api::ReadDocuments(objects, "objects.yaml").value();
  for (const api::Value& object : scenario.objects) documents.push_back({"test.yaml", object});
  const api::Manifests manifests = api::ParseManifests(std::move(documents)).value();
  const Timestamp start = StartOf(scenario, manifests);

  TestedRun tested;
  RecordChecksum checksum;
  uint64_t inputs = 0;
  const auto write = [&](const std::string& line) {
    checksum.Add(line + "\n");
    tested.record += line + "\n";
  };
  write(HeaderLine({"test",
                    scenario.name,
                    setup.seed,
                    start,
                    config::EncodeConfiguration(setup.config),
                    {},
                    setup.config.features}));
  RunListener listener;
  listener.input = [&](uint64_t step, Timestamp at, const Input& input) {
    ++inputs;
    write(InputLine({step, at - start, input}));
  };
  listener.decision = [&](const scheduler::DecisionRecord& decision) {
    tested.decisions.push_back(Short(decision, start));
    tested.log += scheduler::ToLine(decision) + "\n";
    write(DecisionLine(scheduler::ToLine(decision)));
  };
  VirtualRun run(scenario, manifests, setup, listener);
  tested.report = run.Run().value();
  tested.record += EndLine(run.Ended(), inputs, tested.decisions.size(), checksum) + "\n";
  return tested;
}

std::string WorkloadYaml(const std::string& name, const std::string& cpu, const std::string& fields,
                         const std::string& spec) {
  return fmt::format(
      "- {{name: {}, {}{}template: {{spec: {{{}{}containers: [{{name: c, resources: {{requests: {{cpu: "
      "{}}}}}}}]}}}}}}\n",
      name, fields, fields.empty() ? "" : ", ", spec, spec.empty() ? "" : ", ", cpu);
}

}  // namespace berth::simulator
