// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/decode.h"

#include "api/decoder.h"
#include "simulator/scenario/decode_events.h"
#include "simulator/scenario/decode_parts.h"
#include "simulator/scenario/templates.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::FieldReader;
using api::Value;

namespace {

constexpr Timestamp kLatestStart = std::chrono::sys_days(std::chrono::year(2100) / 1 / 1);

std::string_view TextAt(const Value& document, std::string_view key) {
  const Value* value = document.Find(key);
  return value != nullptr && value->is_string() ? std::string_view(value->text()) : std::string_view();
}

uint64_t ReadSeed(FieldReader& reader) {
  const std::optional<int64_t> seed = reader.Int64("seed");
  if (seed && *seed < 0) reader.Fail("seed", "must not be negative");
  return static_cast<uint64_t>(std::max<int64_t>(seed.value_or(0), 0));
}

void CheckNew(FieldReader& reader, const std::string& name, std::set<std::string>& names) {
  if (!name.empty() && !names.insert(name).second) reader.Fail("name", fmt::format("\"{}\" is there twice", name));
}

void ReadNodeGroups(FieldReader& reader, Scenario& scenario) {
  std::set<std::string> names;
  reader.ForEach("nodes", [&](FieldReader& entry) {
    NodeGroup group;
    group.name = ReadName(entry);
    CheckNew(entry, group.name, names);
    group.node = ReadNodeTemplate(entry);
    group.zones = entry.Strings("zones");
    const std::optional<uint64_t> count = ReadCount(entry, "count");
    entry.Map("join", [&](FieldReader& join) {
      group.join = ReadArrivals(join, /*counted=*/false);
      join.RejectUnknown();
    });
    group.join.count = count.value_or(1);
    entry.RejectUnknown();
    CheckObject(NodeDocument(group, 1), {}, entry.Path("template"), entry.value().position(), entry.errors());
    scenario.nodes.push_back(std::move(group));
  });
}

Workload ReadWorkload(FieldReader& entry) {
  Workload workload;
  workload.name = ReadName(entry);
  workload.pod = ReadPodTemplate(entry);
  workload.arrivals = ReadArrivals(entry, /*counted=*/true);
  workload.lifetime = ReadSpan(entry, "lifetime");
  workload.restart = entry.Bool("restart");
  const std::string end = entry.String("end", "succeed");
  if (end == "delete") {
    workload.end = Workload::End::Delete;
  } else if (end != "succeed") {
    entry.Fail("end", fmt::format("\"{}\" is none of succeed, delete", end));
  }
  if (workload.arrivals.at_once() && !workload.arrivals.count) workload.arrivals.count = 1;
  entry.RejectUnknown();
  return workload;
}

void ReadWorkloads(FieldReader& reader, Scenario& scenario) {
  std::set<std::string> names;
  reader.ForEach("workloads", [&](FieldReader& entry) {
    Workload workload = ReadWorkload(entry);
    CheckNew(entry, workload.name, names);
    CheckObject(PodDocument(workload, NameOf(workload, 1)), {}, entry.Path("template"), entry.value().position(),
                entry.errors());
    scenario.workloads.push_back(std::move(workload));
  });
}

void ReadObjects(FieldReader& reader, Scenario& scenario) {
  reader.ForEach("objects", [&](FieldReader& object) { scenario.objects.push_back(object.value()); });
  scenario.files = reader.Strings("files");
}

void ReadVolumes(FieldReader& reader, Scenario& scenario) {
  reader.Map("volumes", [&](FieldReader& volumes) {
    scenario.volume_delays.bind = ReadTime(volumes, "bindAfter").value_or(Duration::zero());
    scenario.volume_delays.provision = ReadTime(volumes, "provisionAfter").value_or(Duration::zero());
    volumes.RejectUnknown();
  });
}

// Endless arrivals require a duration.
void CheckEnd(FieldReader& reader, const Scenario& scenario) {
  if (scenario.duration) return;
  const auto complain = [&](std::string_view what) {
    reader.errors().Add("duration", reader.value().position(),
                        fmt::format("is required: {} without \"count\" or \"until\" never end", what));
  };
  for (const Workload& workload : scenario.workloads) {
    if (workload.arrivals.endless()) return complain(fmt::format("the pods of workload {}", workload.name));
  }
  for (const NodeFailures& failures : scenario.failures) {
    if (failures.times.endless()) return complain("failures");
  }
}

}  // namespace

bool IsScenario(const Value& document) {
  return TextAt(document, "kind") == kScenarioKind && TextAt(document, "apiVersion").starts_with("berth/");
}

Result<Scenario> DecodeScenario(const api::Document& document, std::span<const std::string> custom_kinds) {
  api::DecodeErrors errors;
  FieldReader reader(document.root, "", errors);
  Scenario scenario;
  scenario.custom_kinds.assign(custom_kinds.begin(), custom_kinds.end());
  if (!document.root.is_map()) return InvalidError(errors.Text(document.source));
  if (reader.String("kind") != kScenarioKind) reader.Fail("kind", fmt::format("expected {}", kScenarioKind));
  if (const std::string version = reader.String("apiVersion"); version != kScenarioVersion) {
    reader.Fail("apiVersion", fmt::format("\"{}\" is not known; write \"{}\"", version, kScenarioVersion));
  }
  reader.Map("metadata", [&](FieldReader& meta) {
    scenario.name = meta.String("name");
    meta.RejectUnknown();
  });
  scenario.seed = ReadSeed(reader);
  scenario.start = reader.Time("start");
  if (scenario.start && *scenario.start > kLatestStart) reader.Fail("start", "is later than 2100");
  scenario.duration = ReadPositiveTime(reader, "duration");
  ReadNodeGroups(reader, scenario);
  ReadWorkloads(reader, scenario);
  ReadEvents(reader, scenario);
  ReadFailures(reader, scenario);
  ReadObjects(reader, scenario);
  ReadVolumes(reader, scenario);
  reader.RejectUnknown();
  CheckEnd(reader, scenario);
  if (!errors.empty()) return InvalidError(errors.Text(document.source));
  scenario.document = document.root;
  return scenario;
}

}  // namespace berth::simulator
