// SPDX-License-Identifier: Apache-2.0
#include "cmd/simulate_command.h"

#include "api/document.h"
#include "cmd/scenario_command.h"
#include "simulator/placement_run.h"
#include "simulator/report_document.h"
#include "simulator/report_text.h"
#include "text/style.h"

#include <ostream>
#include <utility>

namespace berth::cmd {

int RunSimulate(simulator::DescribedCluster& cluster, const SimulateOptions& options, const Streams& streams) {
  if (cluster.pending().empty()) *streams.err << "berth: no pod is pending: nothing to place\n";
  const simulator::PlacementReport report = simulator::PlacePendingPods(cluster, options.seed.value_or(0));
  if (options.output == "json") {
    *streams.out << api::ToJson(simulator::ReportDocument(report), 2) << '\n';
  } else if (options.output == "yaml") {
    *streams.out << api::ToYaml(simulator::ReportDocument(report));
  } else {
    const text::Style style{text::Painter(options.colour), streams.width, options.output == "wide"};
    *streams.out << simulator::ReportText(report, style);
  }
  return report.pending.empty() ? kExitOk : kExitNo;
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
  const auto cluster = BuildCluster(std::move(documents), options.cluster, registry, *streams.err);
  return cluster == nullptr ? kExitFailed : RunSimulate(*cluster, options, streams);
}

}  // namespace berth::cmd
