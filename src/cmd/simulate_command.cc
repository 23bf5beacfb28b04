// SPDX-License-Identifier: Apache-2.0
#include "cmd/simulate_command.h"

#include "api/document.h"
#include "cmd/scenario_command.h"
#include "cmd/scheduler_setup.h"
#include "simulator/placement_run.h"
#include "simulator/report_document.h"
#include "simulator/report_text.h"
#include "text/style.h"

#include <ostream>
#include <utility>

namespace berth::cmd {

namespace {

void Print(const simulator::PlacementReport& report, const SimulateOptions& options, const Streams& streams) {
  if (options.output == "json") {
    *streams.out << api::ToJson(simulator::ReportDocument(report), 2) << '\n';
  } else if (options.output == "yaml") {
    *streams.out << api::ToYaml(simulator::ReportDocument(report));
  } else {
    const text::Style style{text::Painter(options.colour), streams.width, options.output == "wide"};
    *streams.out << simulator::ReportText(report, style);
  }
}

}  // namespace

int RunSimulate(LoadedCluster cluster, const SimulateOptions& options, const Streams& streams) {
  if (cluster.objects.pending.empty()) *streams.err << "berth: no pod is pending: nothing to place\n";
  simulator::SchedulerSetup setup = SetupFor(std::move(cluster.planned), options.seed.value_or(0));
  setup.log = options.cluster.log;
  if (options.cluster.asks_extenders) AskExtenders(setup);
  const Result<simulator::PlacementReport> report = simulator::PlacePendingPods(std::move(cluster.objects), setup);
  if (!report) {
    *streams.err << "berth: " << report.error().message << '\n';
    return kExitFailed;
  }
  Print(*report, options, streams);
  return report->pending.empty() ? kExitOk : kExitNo;
}

int RunSimulate(const SimulateOptions& options, const framework::Registry& registry, const Streams& streams) {
  Documents documents = ReadDocuments(options.cluster.files);
  if (!options.scenario.empty() || HasScenario(documents)) {
    return RunScenario(std::move(documents), options, registry, streams);
  }
  if (!options.record.empty()) {
    *streams.err << "berth simulate: --record goes with a scenario, and no file holds one\n";
    return kExitUsage;
  }
  std::optional<LoadedCluster> cluster = LoadCluster(std::move(documents), options.cluster, registry, *streams.err);
  return cluster ? RunSimulate(*std::move(cluster), options, streams) : kExitFailed;
}

}  // namespace berth::cmd
