// SPDX-License-Identifier: Apache-2.0
#include "cmd/scenario_command.h"

#include "api/document.h"
#include "cmd/progress_line.h"
#include "cmd/scheduler_setup.h"
#include "config/declared_kinds.h"
#include "config/encode.h"
#include "simulator/record/record_writer.h"
#include "simulator/run/run_report_document.h"
#include "simulator/run/run_report_text.h"
#include "simulator/run/virtual_run.h"
#include "simulator/scenario/decode.h"
#include "text/style.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

using simulator::RunReport;
using simulator::Scenario;
using simulator::SchedulerSetup;

bool IsScenario(const api::Document& document) { return simulator::IsScenario(document.root); }

// Removes the scenario from the documents and returns it.
Result<api::Document> TakeScenario(std::vector<api::Document>& documents) {
  const auto found = std::find_if(documents.begin(), documents.end(), IsScenario);
  if (found == documents.end()) return NotFoundError("no file holds a scenario (kind: Scenario)");
  const auto second = std::find_if(std::next(found), documents.end(), IsScenario);
  if (second != documents.end()) {
    return InvalidError(fmt::format("two scenarios, in {} and in {}: one can be run", found->source, second->source));
  }
  api::Document scenario = std::move(*found);
  documents.erase(found);
  return scenario;
}

// The initial objects: the given documents, the files the scenario names, and the objects in it.
Result<api::Manifests> ObjectsOf(const Scenario& scenario, const std::string& source, Documents documents) {
  const std::filesystem::path directory = std::filesystem::path(source).parent_path();
  std::vector<std::string> files;
  for (const std::string& file : scenario.files) files.push_back((directory / file).string());
  Documents named = ReadDocuments(files);
  std::move(named.documents.begin(), named.documents.end(), std::back_inserter(documents.documents));
  std::move(named.problems.begin(), named.problems.end(), std::back_inserter(documents.problems));
  for (const api::Value& object : scenario.objects) documents.documents.push_back({source, object});
  return api::ParseManifests(std::move(documents.documents), std::move(documents.problems), scenario.custom_kinds);
}

simulator::RecordHeader HeaderFor(const Scenario& scenario, const SchedulerSetup& setup, Timestamp start) {
  return {BERTH_VERSION,     scenario.name,        setup.seed, start, config::EncodeConfiguration(setup.config),
          scenario.document, setup.config.features};
}

// Fails when the record would overwrite a file that the run is read from.
Result<void> CheckRecord(const SimulateOptions& options, const api::Manifests& objects) {
  std::vector<std::string> inputs = options.cluster.files;
  inputs.push_back(options.scenario);
  for (const api::Manifest& manifest : objects.objects) inputs.push_back(manifest.source);
  for (const std::string& input : inputs) {
    std::error_code differs;
    if (!std::filesystem::equivalent(input, options.record, differs)) continue;
    return InvalidError(fmt::format("cannot record to {}: the run is read from it", options.record));
  }
  return {};
}

// Runs the scenario, recording it and showing progress.
Result<RunReport> Run(const Scenario& scenario, const api::Manifests& objects, const SchedulerSetup& setup,
                      const SimulateOptions& options, const Streams& streams) {
  const Timestamp start = simulator::StartOf(scenario, objects);
  std::unique_ptr<simulator::RecordWriter> record;
  if (!options.record.empty()) {
    BERTH_RETURN_IF_ERROR(CheckRecord(options, objects));
    BERTH_ASSIGN_OR_RETURN(record, simulator::RecordWriter::Create(options.record, HeaderFor(scenario, setup, start)));
  }
  ProgressLine progress(streams.err_is_terminal ? streams.err : nullptr);
  simulator::RunListener listener;
  if (record != nullptr) {
    listener.input = [&](uint64_t step, Timestamp at, const simulator::Input& input) {
      record->Add({step, at - start, input});
    };
    listener.decision = [&](const scheduler::DecisionRecord& decision) { record->AddDecision(ToLine(decision)); };
  }
  listener.moment = [&](const simulator::RunProgress& reached) -> Result<void> {
    progress.Show(reached);
    if (record != nullptr) return record->Flush();
    return {};
  };
  simulator::VirtualRun run(scenario, objects, setup, std::move(listener));
  BERTH_ASSIGN_OR_RETURN(RunReport report, run.Run());
  if (record != nullptr) BERTH_RETURN_IF_ERROR(record->Finish(run.Ended()));
  return report;
}

void Print(const RunReport& report, const SimulateOptions& options, const Streams& streams) {
  if (options.output == "json") {
    *streams.out << api::ToJson(simulator::RunReportDocument(report), 2) << '\n';
  } else if (options.output == "yaml") {
    *streams.out << api::ToYaml(simulator::RunReportDocument(report));
  } else {
    const text::Style style{text::Painter(options.colour), streams.width, options.output == "wide"};
    *streams.out << simulator::RunReportText(report, style);
  }
}

Result<RunReport> Simulate(Documents documents, const SimulateOptions& options, const framework::Registry& registry,
                           const Streams& streams) {
  if (!options.scenario.empty()) {
    Documents more = ReadDocuments({options.scenario});
    std::move(more.documents.begin(), more.documents.end(), std::back_inserter(documents.documents));
    std::move(more.problems.begin(), more.problems.end(), std::back_inserter(documents.problems));
  }
  // The unreadable file may be the scenario itself, so report this first.
  if (!documents.problems.empty()) return InvalidError(fmt::format("{}", fmt::join(documents.problems, "\n")));
  BERTH_ASSIGN_OR_RETURN(const api::Document document, TakeScenario(documents.documents));
  BERTH_ASSIGN_OR_RETURN(config::PlannedConfiguration planned, LoadPlanned(options.cluster, registry, *streams.err));
  BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> custom_kinds,
                         config::DeclaredCustomKinds(planned.plans, *planned.loaded.registry));
  BERTH_ASSIGN_OR_RETURN(const Scenario scenario, simulator::DecodeScenario(document, custom_kinds));
  BERTH_ASSIGN_OR_RETURN(const api::Manifests objects, ObjectsOf(scenario, document.source, std::move(documents)));
  ReportIgnoredKinds(objects, *streams.err);
  SchedulerSetup setup = SetupFor(std::move(planned), options.seed.value_or(scenario.seed));
  setup.log = options.cluster.log;
  if (options.cluster.asks_extenders) AskExtenders(setup);
  return Run(scenario, objects, setup, options, streams);
}

}  // namespace

bool HasScenario(const Documents& documents) {
  return std::any_of(documents.documents.begin(), documents.documents.end(), IsScenario);
}

int RunScenario(Documents documents, const SimulateOptions& options, const framework::Registry& registry,
                const Streams& streams) {
  const Result<RunReport> report = Simulate(std::move(documents), options, registry, streams);
  if (!report) {
    *streams.err << "berth: " << report.error().message << '\n';
    return kExitFailed;
  }
  Print(*report, options, streams);
  return report->pods.pending == 0 ? kExitOk : kExitNo;
}

}  // namespace berth::cmd
