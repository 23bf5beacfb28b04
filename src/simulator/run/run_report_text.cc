// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/run_report_text.h"

#include "api/time_text.h"
#include "text/amount.h"
#include "text/duration.h"
#include "text/layout.h"
#include "text/table.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace berth::simulator {
namespace {

using text::Cell;
using text::DurationText;
using text::Table;
using text::Tone;

constexpr size_t kMostPending = 10;
constexpr size_t kMostNodeEvents = 20;
constexpr size_t kMessageIndent = 4;

std::string Percent(double share) { return fmt::format("{:.0f}%", 100 * share); }
std::string Number(uint64_t number) { return fmt::format("{}", number); }

std::string Heading(const text::Style& style, Tone tone, std::string_view name, std::string_view more = {}) {
  return fmt::format("\n{}{}\n", style.paint(tone, name), more);
}

std::string First(const RunReport& report, const text::Style& style) {
  return fmt::format("{}{} of {} from {}, seed {}: {}, {} node-hours\n", style.paint(Tone::Heading, "RUN"),
                     report.scenario.empty() ? "" : " " + text::Printable(report.scenario),
                     DurationText(report.end - report.start), api::ToRfc3339(report.start), report.seed,
                     text::Counted(report.attempts, "decision"), std::llround(report.node_hours));
}

// A column of the workload table.
struct Column {
  const char* heading;
  uint64_t PodCounts::*count;
  bool always;  // shown even when all its values are zero
};
constexpr Column kColumns[] = {
    {"ARRIVED", &PodCounts::arrived, true},  {"BOUND", &PodCounts::bound, true},
    {"ENDED", &PodCounts::ended, true},      {"PREEMPTED", &PodCounts::preempted, false},
    {"EVICTED", &PodCounts::evicted, false}, {"LOST", &PodCounts::lost, false},
    {"DELETED", &PodCounts::deleted, false}, {"REPLACED", &PodCounts::replaced, false},
    {"RUNNING", &PodCounts::running, true},  {"PENDING", &PodCounts::pending, true},
    {"GATED", &PodCounts::gated, false},
};

std::string Workloads(const RunReport& report, const text::Style& style) {
  std::vector<const Column*> columns;
  std::vector<std::string> headings = {"WORKLOAD"};
  for (const Column& column : kColumns) {
    if (!column.always && report.pods.*column.count == 0) continue;
    columns.push_back(&column);
    headings.emplace_back(column.heading);
  }
  for (const char* heading : {"P50", "P90", "P99", "MAX"}) headings.emplace_back(heading);
  Table table(headings);
  for (size_t i = 1; i < headings.size(); ++i) table.AlignRight(i);
  const auto add = [&](const std::string& name, const PodCounts& pods, const LatencySummary& latency) {
    std::vector<Cell> row = {{name}};
    for (const Column* column : columns) row.push_back({Number(pods.*column->count)});
    for (const Duration wait : {latency.p50, latency.p90, latency.p99, latency.max}) {
      row.push_back({latency.pods == 0 ? "-" : DurationText(wait)});
    }
    table.Add(std::move(row));
  };
  for (const WorkloadReport& workload : report.workloads) {
    add(workload.workload.empty() ? "(none)" : workload.workload, workload.pods, workload.latency);
  }
  if (report.workloads.size() != 1) add("all", report.pods, report.latency);
  return Heading(style, Tone::Heading, "PODS", " by workload, and how long they waited to be bound") +
         table.ToText(style.paint, 2);
}

std::string Timeline(const RunReport& report, const text::Style& style) {
  Table table({"FROM", "NODES", "RUNNING", "PENDING", "ARRIVED", "BOUND", "ENDED", "DISRUPTED", "CPU", "MEMORY"});
  for (size_t i = 0; i < 10; ++i) table.AlignRight(i);
  for (const TimelineEntry& entry : report.timeline) {
    const Happenings& happened = entry.happenings;
    table.Add({{DurationText(entry.from - report.start)},
               {Number(entry.nodes)},
               {Number(entry.running)},
               {Number(entry.pending)},
               {Number(happened.arrived)},
               {Number(happened.bound)},
               {Number(happened.ended)},
               {Number(happened.disrupted)},
               {Percent(entry.cpu)},
               {Percent(entry.memory)}});
  }
  return Heading(style, Tone::Heading, "TIMELINE", fmt::format(" in steps of {}", DurationText(report.timeline_step))) +
         table.ToText(style.paint, 2);
}

std::string Requested(const RunReport& report, const text::Style& style) {
  if (report.utilisation.empty()) return "";
  Table table({"RESOURCE", "AVERAGE", "PEAK", "AT", "MEAN REQUESTED", "MEAN ALLOCATABLE"});
  for (size_t i = 1; i < 6; ++i) table.AlignRight(i);
  for (const RunUse& use : report.utilisation) {
    table.Add({{use.resource},
               {Percent(use.average)},
               {Percent(use.peak)},
               {use.peak == 0 ? "-" : DurationText(use.peak_at - report.start)},
               {text::AmountText(use.resource, std::llround(use.requested))},
               {text::AmountText(use.resource, std::llround(use.allocatable))}});
  }
  return Heading(style, Tone::Heading, "REQUESTED", " of what there was") + table.ToText(style.paint, 2);
}

std::string Reasons(const RunReport& report, const text::Style& style) {
  if (report.reasons.empty()) return "";
  Table table({"REASON", "FAILED ATTEMPTS", "PODS", "PENDING NOW"});
  for (size_t i = 1; i < 4; ++i) table.AlignRight(i);
  for (const PendingReason& reason : report.reasons) {
    table.Add({{reason.reason}, {Number(reason.attempts)}, {Number(reason.pods)}, {Number(reason.pending)}});
  }
  return Heading(style, Tone::Warning, "WHY PODS WAITED") + table.ToText(style.paint, 2);
}

std::string Pending(const RunReport& report, const text::Style& style) {
  if (report.pending.empty()) return "";
  Table table({"POD", "FOR", "TRIES", "REASON"});
  for (size_t i = 1; i < 3; ++i) table.AlignRight(i);
  const size_t shown = style.wide ? report.pending.size() : std::min(report.pending.size(), kMostPending);
  for (size_t i = 0; i < shown; ++i) {
    const PendingPod& pod = report.pending[i];
    table.Add({{pod.pod}, {DurationText(report.end - pod.arrived)}, {fmt::format("{}", pod.attempts)}, {pod.reason}});
  }
  std::string text =
      Heading(style, Tone::Bad, "PENDING", fmt::format(" ({})", report.pending.size())) + table.ToText(style.paint, 2);
  if (shown < report.pending.size()) text += fmt::format("  and {} more\n", report.pending.size() - shown);
  for (const PendingReason& reason : report.reasons) {
    if (reason.pending == 0) continue;
    text += fmt::format("  {}, lately:\n", reason.reason) + text::Wrapped(reason.message, kMessageIndent, style.width);
  }
  return text;
}

std::string Nodes(const RunReport& report, const text::Style& style) {
  if (report.node_events.empty()) return "";
  Table table({"AT", "WHAT", "NODES", "PODS ON THEM"});
  table.AlignRight(0);
  table.AlignRight(3);
  const size_t shown = style.wide ? report.node_events.size() : std::min(report.node_events.size(), kMostNodeEvents);
  for (size_t i = 0; i < shown; ++i) {
    const NodeEvent& event = report.node_events[i];
    table.Add({{DurationText(event.at - report.start)},
               {std::string(NameOf(event.what))},
               {text::Listed(event.nodes)},
               {Number(event.pods)}});
  }
  std::string text = Heading(style, Tone::Heading, "NODES", fmt::format(" ({} at the end)", report.nodes)) +
                     table.ToText(style.paint, 2);
  if (shown < report.node_events.size()) text += fmt::format("  and {} more\n", report.node_events.size() - shown);
  return text;
}

std::string Notes(const RunReport& report, const text::Style& style) {
  if (report.notes.empty()) return "";
  std::string text = Heading(style, Tone::Warning, "NOTES", fmt::format(" ({})", report.notes.size()));
  for (const std::string& note : report.notes) text += text::Wrapped(note, 2, style.width);
  return text;
}

}  // namespace

std::string RunReportText(const RunReport& report, const text::Style& style) {
  return First(report, style) + Workloads(report, style) + Timeline(report, style) + Requested(report, style) +
         Nodes(report, style) + Reasons(report, style) + Pending(report, style) + Notes(report, style);
}

}  // namespace berth::simulator
