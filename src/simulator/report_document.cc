// SPDX-License-Identifier: Apache-2.0
#include "simulator/report_document.h"

#include "explain/amount_text.h"
#include "explain/explanation_document.h"

#include <fmt/format.h>

namespace berth::simulator {
namespace {

using api::Value;

Value Text(std::string_view text) { return Value::String(std::string(text)); }
Value Count(size_t count) { return Value::Int(static_cast<int64_t>(count)); }

template <typename T, typename F>
Value ListOf(const std::vector<T>& all, F&& one) {
  Value list = Value::List();
  for (const T& item : all) list.Append(one(item));
  return list;
}

Value SummaryValue(const PlacementReport& report) {
  Value value = Value::Map();
  value.Set("placed", Count(report.placements.size()));
  value.Set("pending", Count(report.pending.size()));
  value.Set("evicted", Count(report.evictions.size()));
  value.Set("gated", Count(report.gated.size()));
  value.Set("ignored", Count(report.ignored.size()));
  value.Set("nodes", Count(report.utilisation.nodes.size()));
  return value;
}

Value PlacementValue(const Placement& placement) {
  Value value = Value::Map();
  value.Set("pod", Text(placement.pod));
  value.Set("node", Text(placement.node));
  value.Set("profile", Text(placement.profile));
  value.Set("priority", Value::Int(placement.priority));
  if (placement.scored) value.Set("score", Value::Int(placement.score));
  value.Set("feasibleNodes", Count(placement.feasible));
  value.Set("attempts", Count(placement.attempts));
  if (!placement.evicted.empty()) value.Set("evicted", explain::StringList(placement.evicted));
  return value;
}

Value EvictionValue(const Eviction& eviction) {
  Value value = Value::Map();
  value.Set("pod", Text(eviction.pod));
  value.Set("node", Text(eviction.node));
  value.Set("priority", Value::Int(eviction.priority));
  value.Set("preemptor", Text(eviction.preemptor));
  return value;
}

Value PendingValue(const StillPending& pod) {
  Value value = Value::Map();
  value.Set("pod", Text(pod.pod));
  value.Set("profile", Text(pod.profile));
  value.Set("priority", Value::Int(pod.priority));
  value.Set("message", Text(pod.message));
  value.Set("rejectedBy", explain::StringList(pod.rejectors));
  return value;
}

Value GatedValue(const GatedPod& pod) {
  Value value = Value::Map();
  value.Set("pod", Text(pod.pod));
  value.Set("plugin", Text(pod.plugin));
  value.Set("message", Text(pod.message));
  return value;
}

Value IgnoredValue(const IgnoredPod& pod) {
  Value value = Value::Map();
  value.Set("pod", Text(pod.pod));
  value.Set("reason", Text(pod.reason));
  return value;
}

Value UsesValue(const std::vector<ResourceUse>& uses) {
  Value value = Value::Map();
  for (const ResourceUse& use : uses) {
    const auto amount = [&](int64_t what) { return Text(explain::ExactAmount(use.resource, what)); };
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
  document.Set("apiVersion", Text(explain::kReportVersion));
  document.Set("kind", Text("SimulationReport"));
  document.Set("seed", Value::Number(Value::Kind::Int, fmt::format("{}", report.seed)));
  document.Set("summary", SummaryValue(report));
  document.Set("placements", ListOf(report.placements, PlacementValue));
  document.Set("evictions", ListOf(report.evictions, EvictionValue));
  document.Set("pending", ListOf(report.pending, PendingValue));
  document.Set("gated", ListOf(report.gated, GatedValue));
  document.Set("ignored", ListOf(report.ignored, IgnoredValue));
  Value utilisation = Value::Map();
  utilisation.Set("total", UsesValue(report.utilisation.total));
  utilisation.Set("nodes", ListOf(report.utilisation.nodes, [](const NodeUse& node) {
                    Value entry = Value::Map();
                    entry.Set("node", Text(node.node));
                    entry.Set("resources", UsesValue(node.resources));
                    return entry;
                  }));
  document.Set("utilisation", std::move(utilisation));
  return document;
}

}  // namespace berth::simulator
