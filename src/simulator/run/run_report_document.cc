// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/run_report_document.h"

#include "api/time_text.h"
#include "config/fields/go_duration.h"
#include "text/amount.h"
#include "text/report_values.h"

#include <cmath>

#include <fmt/format.h>

namespace berth::simulator {
namespace {

using api::Value;
using text::CountValue;
using text::ListOf;
using text::TextValue;
using text::TextValues;

Value Length(Duration duration) { return TextValue(config::FormatGoDuration(duration)); }
// Rounded to four decimals, without trailing zeros.
Value Decimal(double number) {
  return Value::Number(Value::Kind::Float, fmt::format("{}", std::round(number * 1e4) / 1e4));
}

Value PodsValue(const PodCounts& pods) {
  Value value = Value::Map();
  value.Set("arrived", CountValue(pods.arrived));
  value.Set("bound", CountValue(pods.bound));
  value.Set("ended", CountValue(pods.ended));
  value.Set("preempted", CountValue(pods.preempted));
  value.Set("evicted", CountValue(pods.evicted));
  value.Set("lost", CountValue(pods.lost));
  value.Set("deleted", CountValue(pods.deleted));
  value.Set("replaced", CountValue(pods.replaced));
  value.Set("running", CountValue(pods.running));
  value.Set("pending", CountValue(pods.pending));
  value.Set("gated", CountValue(pods.gated));
  return value;
}

Value LatencyValue(const LatencySummary& latency) {
  Value value = Value::Map();
  value.Set("pods", CountValue(latency.pods));
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
  value.Set("nodes", CountValue(entry.nodes));
  value.Set("running", CountValue(entry.running));
  value.Set("pending", CountValue(entry.pending));
  value.Set("arrived", CountValue(entry.happenings.arrived));
  value.Set("bound", CountValue(entry.happenings.bound));
  value.Set("ended", CountValue(entry.happenings.ended));
  value.Set("disrupted", CountValue(entry.happenings.disrupted));
  value.Set("cpu", Decimal(entry.cpu));
  value.Set("memory", Decimal(entry.memory));
  return value;
}

Value UseValue(const RunReport& report, const RunUse& use) {
  const auto amount = [&](double mean) { return TextValue(text::ExactAmount(use.resource, std::llround(mean))); };
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
  value.Set("reason", TextValue(reason.reason));
  value.Set("attempts", CountValue(reason.attempts));
  value.Set("pods", CountValue(reason.pods));
  value.Set("pending", CountValue(reason.pending));
  value.Set("message", TextValue(reason.message));
  return value;
}

Value PendingValue(const RunReport& report, const PendingPod& pod) {
  Value value = Value::Map();
  value.Set("pod", TextValue(pod.pod));
  if (!pod.workload.empty()) value.Set("workload", TextValue(pod.workload));
  value.Set("arrived", Length(pod.arrived - report.start));
  value.Set("attempts", Value::Int(pod.attempts));
  value.Set("gated", Value::Bool(pod.gated));
  value.Set("reason", TextValue(pod.reason));
  value.Set("message", TextValue(pod.message));
  return value;
}

Value NodeEventValue(const RunReport& report, const NodeEvent& event) {
  Value value = Value::Map();
  value.Set("at", Length(event.at - report.start));
  value.Set("what", TextValue(NameOf(event.what)));
  value.Set("nodes", TextValues(event.nodes));
  value.Set("pods", CountValue(event.pods));
  return value;
}

Value SummaryValue(const RunReport& report) {
  Value value = Value::Map();
  value.Set("decisions", CountValue(report.attempts));
  value.Set("nodes", CountValue(report.nodes));
  value.Set("nodeHours", Decimal(report.node_hours));
  value.Set("pods", PodsValue(report.pods));
  value.Set("latency", LatencyValue(report.latency));
  return value;
}

}  // namespace

Value RunReportDocument(const RunReport& report) {
  Value document = Value::Map();
  document.Set("apiVersion", TextValue(text::kReportVersion));
  document.Set("kind", TextValue("ScenarioReport"));
  document.Set("scenario", TextValue(report.scenario));
  document.Set("seed", CountValue(report.seed));
  document.Set("start", TextValue(api::ToRfc3339(report.start)));
  document.Set("duration", Length(report.end - report.start));
  document.Set("summary", SummaryValue(report));
  document.Set("workloads", ListOf(report.workloads, [](const WorkloadReport& workload) {
                 Value value = Value::Map();
                 value.Set("workload", TextValue(workload.workload));
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
  document.Set("notes", TextValues(report.notes));
  return document;
}

}  // namespace berth::simulator
