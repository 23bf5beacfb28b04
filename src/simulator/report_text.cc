// SPDX-License-Identifier: Apache-2.0
#include "simulator/report_text.h"

#include "text/amount.h"
#include "text/layout.h"
#include "text/table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::simulator {
namespace {

using text::AmountText;
using text::Cell;
using text::PercentText;
using text::Table;
using text::Tone;

constexpr size_t kReasonIndent = 4;

std::string Section(const text::Style& style, Tone tone, std::string_view name, size_t count) {
  return fmt::format("{} ({})\n", style.paint(tone, name), count);
}

std::string Placements(const PlacementReport& report, const text::Style& style) {
  std::vector<std::string> headings = {"POD", "NODE"};
  if (style.wide) headings.insert(headings.end(), {"SCORE", "FEASIBLE", "PRIORITY", "TRIES", "PROFILE", "EVICTED"});
  Table table(std::move(headings));
  if (style.wide) {
    for (const size_t column : {2U, 3U, 4U, 5U}) table.AlignRight(column);
  }
  for (const Placement& placement : report.placements) {
    std::vector<Cell> row = {{placement.pod}, {placement.node}};
    if (style.wide) {
      row.push_back({placement.scored ? std::to_string(placement.score) : "-"});
      row.push_back({std::to_string(placement.feasible)});
      row.push_back({std::to_string(placement.priority)});
      row.push_back({std::to_string(placement.attempts)});
      row.push_back({placement.profile});
      row.push_back({placement.evicted.empty() ? "-" : fmt::format("{}", fmt::join(placement.evicted, ","))});
    }
    table.Add(std::move(row));
  }
  return Section(style, Tone::Good, "PLACED", report.placements.size()) +
         (table.empty() ? "" : table.ToText(style.paint, 2));
}

std::string Evictions(const PlacementReport& report, const text::Style& style) {
  if (report.evictions.empty()) return "";
  Table table({"POD", "NODE", "PRIORITY", "EVICTED FOR"});
  table.AlignRight(2);
  for (const Eviction& eviction : report.evictions) {
    table.Add({{eviction.pod}, {eviction.node}, {std::to_string(eviction.priority)}, {eviction.preemptor}});
  }
  return "\n" + Section(style, Tone::Warning, "EVICTED", report.evictions.size()) + table.ToText(style.paint, 2);
}

std::string Pending(const PlacementReport& report, const text::Style& style) {
  if (report.pending.empty()) return "";
  std::string text = "\n" + Section(style, Tone::Bad, "PENDING", report.pending.size());
  for (const StillPending& pod : report.pending) {
    text += "  " + text::Printable(pod.pod) + "\n" + text::Wrapped(pod.message, kReasonIndent, style.width);
    if (style.wide && !pod.rejectors.empty()) {
      text += text::Wrapped(fmt::format("rejected by {}", fmt::join(pod.rejectors, ", ")), kReasonIndent, style.width);
    }
  }
  return text;
}

std::string LeftAlone(const PlacementReport& report, const text::Style& style) {
  std::string text;
  if (!report.gated.empty()) {
    Table table({"POD", "GATED BY", "WHY"});
    for (const GatedPod& pod : report.gated) table.Add({{pod.pod}, {pod.plugin}, {pod.message}});
    text += "\n" + Section(style, Tone::Warning, "GATED", report.gated.size()) + table.ToText(style.paint, 2);
  }
  if (!report.ignored.empty()) {
    Table table({"POD", "WHY"});
    for (const IgnoredPod& pod : report.ignored) table.Add({{pod.pod}, {pod.reason}});
    text += "\n" + Section(style, Tone::Quiet, "LEFT ALONE", report.ignored.size()) + table.ToText(style.paint, 2);
  }
  return text;
}

std::string ProblemsText(const PlacementReport& report, const text::Style& style) {
  if (report.problems.empty()) return "";
  std::string text = "\n" + Section(style, Tone::Bad, "PROBLEMS", report.problems.size());
  for (const std::string& problem : report.problems) text += text::Wrapped(problem, kReasonIndent, style.width);
  return text;
}

std::string Share(const ResourceUse& use, int64_t requested) {
  return fmt::format("{} ({})", AmountText(use.resource, requested), PercentText(requested, use.allocatable));
}

std::string Total(const PlacementReport& report, const text::Style& style) {
  if (report.utilisation.nodes.empty()) return "";
  Table table({"RESOURCE", "REQUESTED BEFORE", "REQUESTED AFTER", "ALLOCATABLE"});
  for (const size_t column : {1U, 2U, 3U}) table.AlignRight(column);
  for (const ResourceUse& use : report.utilisation.total) {
    table.Add({{use.resource},
               {Share(use, use.before)},
               {Share(use, use.after)},
               {AmountText(use.resource, use.allocatable)}});
  }
  return fmt::format("\n{} of {}\n", style.paint(Tone::Heading, "REQUESTED"),
                     text::Counted(report.utilisation.nodes.size(), "node")) +
         table.ToText(style.paint, 2);
}

std::string ByNode(const PlacementReport& report, const text::Style& style) {
  std::vector<std::string> headings = {"NODE"};
  for (const ResourceUse& use : report.utilisation.total) headings.push_back(use.resource);
  Table table(std::move(headings));
  for (size_t column = 1; column <= report.utilisation.total.size(); ++column) table.AlignRight(column);
  for (const NodeUse& node : report.utilisation.nodes) {
    std::vector<Cell> row = {{node.node}};
    for (const ResourceUse& column : report.utilisation.total) {
      const auto it = std::find_if(node.resources.begin(), node.resources.end(),
                                   [&](const ResourceUse& use) { return use.resource == column.resource; });
      row.push_back({it == node.resources.end() ? "-" : Share(*it, it->after)});
    }
    table.Add(std::move(row));
  }
  return fmt::format("\n{} after the run\n", style.paint(Tone::Heading, "REQUESTED BY NODE")) +
         table.ToText(style.paint, 2);
}

}  // namespace

std::string ReportText(const PlacementReport& report, const text::Style& style) {
  std::string text = Placements(report, style) + Evictions(report, style) + Pending(report, style) +
                     LeftAlone(report, style) + ProblemsText(report, style) + Total(report, style);
  if (style.wide && !report.utilisation.nodes.empty()) text += ByNode(report, style);
  return text;
}

}  // namespace berth::simulator
