// SPDX-License-Identifier: Apache-2.0
#include "simulator/report_document.h"

#include "text/amount.h"
#include "text/report_values.h"

#include <fmt/format.h>

namespace berth::simulator {
namespace {

using api::Value;
using text::CountValue;
using text::ListOf;
using text::TextValue;
using text::TextValues;

Value SummaryValue(const PlacementReport& report) {
  Value value = Value::Map();
  value.Set("placed", CountValue(report.placements.size()));
  value.Set("pending", CountValue(report.pending.size()));
  value.Set("evicted", CountValue(report.evictions.size()));
  value.Set("gated", CountValue(report.gated.size()));
  value.Set("ignored", CountValue(report.ignored.size()));
  value.Set("nodes", CountValue(report.utilisation.nodes.size()));
  return value;
}

Value PlacementValue(const Placement& placement) {
  Value value = Value::Map();
  value.Set("pod", TextValue(placement.pod));
  value.Set("node", TextValue(placement.node));
  value.Set("profile", TextValue(placement.profile));
  value.Set("priority", Value::Int(placement.priority));
  if (placement.scored) value.Set("score", Value::Int(placement.score));
  value.Set("feasibleNodes", CountValue(placement.feasible));
  value.Set("attempts", CountValue(placement.attempts));
  if (!placement.evicted.empty()) value.Set("evicted", TextValues(placement.evicted));
  return value;
}

Value EvictionValue(const Eviction& eviction) {
  Value value = Value::Map();
  value.Set("pod", TextValue(eviction.pod));
  value.Set("node", TextValue(eviction.node));
  value.Set("priority", Value::Int(eviction.priority));
  value.Set("preemptor", TextValue(eviction.preemptor));
  return value;
}

Value PendingValue(const StillPending& pod) {
  Value value = Value::Map();
  value.Set("pod", TextValue(pod.pod));
  value.Set("profile", TextValue(pod.profile));
  value.Set("priority", Value::Int(pod.priority));
  value.Set("message", TextValue(pod.message));
  value.Set("rejectedBy", TextValues(pod.rejectors));
  return value;
}

Value GatedValue(const GatedPod& pod) {
  Value value = Value::Map();
  value.Set("pod", TextValue(pod.pod));
  value.Set("plugin", TextValue(pod.plugin));
  value.Set("message", TextValue(pod.message));
  return value;
}

Value IgnoredValue(const IgnoredPod& pod) {
  Value value = Value::Map();
  value.Set("pod", TextValue(pod.pod));
  value.Set("reason", TextValue(pod.reason));
  return value;
}

Value UsesValue(const std::vector<ResourceUse>& uses) {
  Value value = Value::Map();
  for (const ResourceUse& use : uses) {
    const auto amount = [&](int64_t what) { return TextValue(text::ExactAmount(use.resource, what)); };
    Value entry = Value::Map();
    entry.Set("allocatable", amount(use.allocatable));
    entry.Set("requestedBefore", amount(use.before));
    entry.Set("requestedAfter", amount(use.after));
    value.Set(use.resource, std::move(entry));
  }
  return value;
}

}  // namespace

Value ReportDocument(const PlacementReport& report) {
  Value document = Value::Map();
  document.Set("apiVersion", TextValue(text::kReportVersion));
  document.Set("kind", TextValue("SimulationReport"));
  document.Set("seed", Value::Number(Value::Kind::Int, fmt::format("{}", report.seed)));
  document.Set("summary", SummaryValue(report));
  document.Set("placements", ListOf(report.placements, PlacementValue));
  document.Set("evictions", ListOf(report.evictions, EvictionValue));
  document.Set("pending", ListOf(report.pending, PendingValue));
  document.Set("gated", ListOf(report.gated, GatedValue));
  document.Set("ignored", ListOf(report.ignored, IgnoredValue));
  if (!report.problems.empty()) document.Set("problems", TextValues(report.problems));
  Value utilisation = Value::Map();
  utilisation.Set("total", UsesValue(report.utilisation.total));
  utilisation.Set("nodes", ListOf(report.utilisation.nodes, [](const NodeUse& node) {
                    Value entry = Value::Map();
                    entry.Set("node", TextValue(node.node));
                    entry.Set("resources", UsesValue(node.resources));
                    return entry;
                  }));
  document.Set("utilisation", std::move(utilisation));
  return document;
}

}  // namespace berth::simulator
