// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/report_text.h"

#include "text/table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::plugin_check {
namespace {

using text::Cell;
using text::Style;
using text::Table;
using text::Tone;

constexpr size_t kPodsShown = 8;
constexpr size_t kReasonsShown = 10;
constexpr size_t kPluginsInDetail = 3;  // more are summed up

std::string SpreadText(const std::optional<Spread>& spread) {
  return spread ? fmt::format("{}..{}", spread->lowest, spread->highest) : "-";
}

std::string More(size_t count, size_t shown, std::string_view what) {
  return count <= shown ? "" : fmt::format("  … and {} more {}: -o wide\n", count - shown, what);
}

std::string Summary(std::span<const PluginReport> reports, const Style& style) {
  Table table(
      {"PLUGIN", "PROFILE", "PODS", "SKIPPED", "PASSED", "REJECTED", "RAW SCORES", "SCORES", "WHAT-IFS", "FINDINGS"});
  for (const size_t column : {2, 3, 4, 5, 8, 9}) table.AlignRight(column);
  for (const PluginReport& report : reports) {
    size_t skipped = 0;
    size_t passed = 0;
    size_t rejected = 0;
    size_t findings = 0;
    for (const PodAnswer& pod : report.pods) {
      skipped += pod.pre_filter == "skip" ? 1 : 0;
      passed += pod.passed;
      rejected += pod.rejected;
    }
    for (const Finding& finding : report.findings) findings += finding.count;
    table.Add({{report.plugin},
               {report.profile},
               {std::to_string(report.pods.size())},
               {std::to_string(skipped)},
               {std::to_string(passed)},
               {std::to_string(rejected)},
               {SpreadText(report.raw_scores)},
               {SpreadText(report.scores)},
               {std::to_string(report.hypothetical_questions)},
               {std::to_string(findings), findings == 0 ? Tone::Good : Tone::Bad}});
  }
  return table.ToText(style.paint);
}

std::string Verdicts(const PluginReport& report, const Style& style) {
  Table table({"POD", "PREFILTER", "PASSED", "REJECTED", "SCORES", "BEST NODE"});
  table.AlignRight(2);
  table.AlignRight(3);
  const size_t shown = style.wide ? report.pods.size() : std::min(report.pods.size(), kPodsShown);
  for (size_t i = 0; i < shown; ++i) {
    const PodAnswer& pod = report.pods[i];
    table.Add({{pod.pod},
               {pod.pre_filter.empty() ? "-" : pod.pre_filter},
               {std::to_string(pod.passed)},
               {std::to_string(pod.rejected)},
               {SpreadText(pod.scores)},
               {pod.best_node.empty() ? "-" : pod.best_node}});
  }
  return fmt::format("\n{} {}\n{}{}", style.paint(Tone::Heading, "VERDICTS"), report.plugin,
                     table.ToText(style.paint, 2), More(report.pods.size(), shown, "pods"));
}

std::string Rejections(const PluginReport& report, const Style& style) {
  if (report.rejections.empty()) return "";
  std::vector<std::pair<size_t, std::string>> by_count;
  for (const auto& [reason, count] : report.rejections) by_count.emplace_back(count, reason);
  std::stable_sort(by_count.begin(), by_count.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const size_t shown = style.wide ? by_count.size() : std::min(by_count.size(), kReasonsShown);
  Table table({"NODES", "REJECTED WITH"});
  table.AlignRight(0);
  for (size_t i = 0; i < shown; ++i) table.Add({{std::to_string(by_count[i].first)}, {by_count[i].second}});
  return table.ToText(style.paint, 2) + More(by_count.size(), shown, "reasons");
}

std::string FindingsText(const PluginReport& report, const Style& style) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += fmt::format("{}  {}: {}, {} time{}\n        {}\n", style.paint(Tone::Bad, "BROKEN"), report.plugin,
                        finding.rule, finding.count, finding.count == 1 ? "" : "s; the first time", finding.example);
  }
  return text;
}

}  // namespace

std::string ReportText(std::span<const PluginReport> reports, const Style& style) {
  std::string text = Summary(reports, style);
  const bool in_detail = style.wide || reports.size() <= kPluginsInDetail;
  for (const PluginReport& report : reports) {
    if (in_detail) text += Verdicts(report, style) + Rejections(report, style);
  }
  std::string findings;
  for (const PluginReport& report : reports) findings += FindingsText(report, style);
  return text + "\n" + (findings.empty() ? "No finding: every rule was kept.\n" : findings);
}

}  // namespace berth::plugin_check
