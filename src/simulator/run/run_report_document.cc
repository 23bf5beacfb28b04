// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/run_report_document.h"

#include "api/time_text.h"
#include "config/fields/go_duration.h"
#include "explain/amount_text.h"
#include "explain/explanation_document.h"

#include <cmath>

#include <fmt/format.h>

namespace berth::simulator {
namespace {

using api::Value;

Value Text(std::string_view text) { return Value::String(std::string(text)); }
Value Count(uint64_t count) { return Value::Number(Value::Kind::Int, fmt::format("{}", count)); }
Value Length(Duration duration) { return Text(config::FormatGoDuration(duration)); }
// Four digits after the point, as far as they say something.
Value Decimal(double number) {
  return Value::Number(Value::Kind::Float, fmt::format("{}", std::round(number * 1e4) / 1e4));
}

template <typename T, typename F>
Value ListOf(const std::vector<T>& all, F&& one) {
  Value list = Value::List();
  for (const T& item : all) list.Append(one(item));
  return list;
}

Value PodsValue(const PodCounts& pods) {
  Value value = Value::Map();
  value.Set("arrived", Count(pods.arrived));
  value.Set("bound", Count(pods.bound));
  value.Set("ended", Count(pods.ended));
  value.Set("preempted", Count(pods.preempted));
  value.Set("evicted", Count(pods.evicted));
  value.Set("lost", Count(pods.lost));
  value.Set("deleted", Count(pods.deleted));
  value.Set("replaced", Count(pods.replaced));
  value.Set("running", Count(pods.running));
  value.Set("pending", Count(pods.pending));
  value.Set("gated", Count(pods.gated));
  return value;
}

Value LatencyValue(const LatencySummary& latency) {
  Value value = Value::Map();
  value.Set("pods", Count(latency.pods));
  if (latency.pods == 0) return value;
  value.Set("p50", Length(latency.p50));
  value.Set("p90", Length(latency.p90));
  value.Set("p99", Length(latency.p99));
  value.Set("max", Length(latency.max));
  return value;
}

Value TimelineValue(const RunReport& report, const TimelineEntry& entry) {
  Value value = Value::Map();
  value.Set("from", Length(entry.from - report.start));
  value.Set("nodes", Count(entry.nodes));
  value.Set("running", Count(entry.running));
  value.Set("pending", Count(entry.pending));
  value.Set("arrived", Count(entry.happenings.arrived));
  value.Set("bound", Count(entry.happenings.bound));
  value.Set("ended", Count(entry.happenings.ended));
  value.Set("disrupted", Count(entry.happenings.disrupted));
  value.Set("cpu", Decimal(entry.cpu));
  value.Set("memory", Decimal(entry.memory));
  return value;
}

Value UseValue(const RunReport& report, const RunUse& use) {
  const auto amount = [&](double mean) { return Text(explain::ExactAmount(use.resource, std::llround(mean))); };
  Value value = Value::Map();
  value.Set("average", Decimal(use.average));
  value.Set("peak", Decimal(use.peak));
  value.Set("peakAt", Length(use.peak == 0 ? Duration::zero() : use.peak_at - report.start));
  value.Set("meanRequested", amount(use.requested));
  value.Set("meanAllocatable", amount(use.allocatable));
  return value;
}

Value ReasonValue(const PendingReason& reason) {
  Value value = Value::Map();
  value.Set("reason", Text(reason.reason));
  value.Set("attempts", Count(reason.attempts));
  value.Set("pods", Count(reason.pods));
  value.Set("pending", Count(reason.pending));
  value.Set("message", Text(reason.message));
  return value;
}

Value PendingValue(const RunReport& report, const PendingPod& pod) {
  Value value = Value::Map();
  value.Set("pod", Text(pod.pod));
  if (!pod.workload.empty()) value.Set("workload", Text(pod.workload));
  value.Set("arrived", Length(pod.arrived - report.start));
  value.Set("attempts", Value::Int(pod.attempts));
  value.Set("gated", Value::Bool(pod.gated));
  value.Set("reason", Text(pod.reason));
  value.Set("message", Text(pod.message));
  return value;
}

Value NodeEventValue(const RunReport& report, const NodeEvent& event) {
  Value value = Value::Map();
  value.Set("at", Length(event.at - report.start));
  value.Set("what", Text(NameOf(event.what)));
  value.Set("nodes", explain::StringList(event.nodes));
  value.Set("pods", Count(event.pods));
  return value;
}

Value SummaryValue(const RunReport& report) {
  Value value = Value::Map();
  value.Set("decisions", Count(report.attempts));
  value.Set("nodes", Count(report.nodes));
  value.Set("nodeHours", Decimal(report.node_hours));
  value.Set("pods", PodsValue(report.pods));
  value.Set("latency", LatencyValue(report.latency));
  return value;
}

}  // namespace

Value RunReportDocument(const RunReport& report) {
  Value document = Value::Map();
  document.Set("apiVersion", Text(explain::kReportVersion));
  document.Set("kind", Text("ScenarioReport"));
  document.Set("scenario", Text(report.scenario));
  document.Set("seed", Count(report.seed));
  document.Set("start", Text(api::ToRfc3339(report.start)));
  document.Set("duration", Length(report.end - report.start));
  document.Set("summary", SummaryValue(report));
  document.Set("workloads", ListOf(report.workloads, [](const WorkloadReport& workload) {
                 Value value = Value::Map();
                 value.Set("workload", Text(workload.workload));
                 value.Set("pods", PodsValue(workload.pods));
                 value.Set("latency", LatencyValue(workload.latency));
                 return value;
               }));
  document.Set("timelineStep", Length(report.timeline_step));
  document.Set("timeline",
               ListOf(report.timeline, [&](const TimelineEntry& entry) { return TimelineValue(report, entry); }));
  Value utilisation = Value::Map();
  for (const RunUse& use : report.utilisation) utilisation.Set(use.resource, UseValue(report, use));
  document.Set("utilisation", std::move(utilisation));
  document.Set("reasons", ListOf(report.reasons, ReasonValue));
  document.Set("pending", ListOf(report.pending, [&](const PendingPod& pod) { return PendingValue(report, pod); }));
  document.Set("nodeEvents",
               ListOf(report.node_events, [&](const NodeEvent& event) { return NodeEventValue(report, event); }));
  document.Set("notes", explain::StringList(report.notes));
  return document;
}

}  // namespace berth::simulator
