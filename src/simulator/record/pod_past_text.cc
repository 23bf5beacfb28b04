// SPDX-License-Identifier: Apache-2.0
#include "api/time_text.h"
#include "simulator/record/pod_past.h"
#include "text/duration.h"
#include "text/layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::simulator {

using scheduler::Decision;
using scheduler::DecisionRecord;
using text::Counted;
using text::DurationText;
using text::Tone;

namespace {

constexpr size_t kIndent = 4;
constexpr size_t kFewNodes = 3;

// "  1h05m  2026-01-01T01:05:00Z  arrived".
std::string Moment(Duration at, Timestamp start, std::string_view what) {
  return fmt::format("  {:>7}  {}  {}\n", DurationText(at), api::ToRfc3339(start + at), what);
}

std::string Outcome(const DecisionRecord& record) {
  if (record.outcome != Decision::Outcome::Placed) {
    const char* verdict = record.outcome == Decision::Outcome::Error ? "failed" : "no node";
    if (record.nominated_node.empty()) return verdict;
    return fmt::format("{}, but {} is promised once its victims are gone", verdict, record.nominated_node);
  }
  if (record.feasible <= 1) return fmt::format("placed on {}, the only node of {}", record.node, record.nodes);
  const std::string tied =
      record.best_count > 1 ? fmt::format(", drawn from {} with the highest score", record.best_count) : "";
  return fmt::format("placed on {}, score {}, best of {} feasible of {}{}", record.node, record.score, record.feasible,
                     Counted(record.nodes, "node"), tied);
}

std::string Details(const DecisionRecord& record, size_t most_nodes, const text::Style& style) {
  std::string text;
  if (!record.message.empty()) text += text::Wrapped(record.message, kIndent, style.width);
  for (const DecisionRecord::Rejection& rejection : record.rejections) {
    const std::vector<std::string> nodes = record.NodesOf(rejection, record.nodes);
    text += text::Wrapped(fmt::format("{} rejected {}: {} ({})", rejection.plugin, Counted(nodes.size(), "node"),
                                      rejection.reasons, text::Listed(nodes, most_nodes)),
                          kIndent, style.width);
  }
  for (const DecisionRecord::ScoredNode& node : record.top) {
    std::string line = fmt::format("{} scored {}", node.node, node.total);
    std::string_view separator = ": ";
    for (const auto& [plugin, weighted] : node.parts) {
      if (weighted == 0) continue;
      line += fmt::format("{}{} {}", separator, plugin, weighted);
      separator = ", ";
    }
    text += text::Wrapped(line, kIndent, style.width);
  }
  return text;
}

std::string Attempt(const PodPast& past, const DecisionRecord& record, size_t most_nodes, const text::Style& style) {
  const bool placed = record.outcome == Decision::Outcome::Placed;
  const std::string what =
      fmt::format("{}: {}", style.paint(placed ? Tone::Good : Tone::Bad, fmt::format("attempt {}", record.attempt)),
                  Outcome(record));
  return Moment(record.time - past.start, past.start, what) + Details(record, most_nodes, style);
}

}  // namespace

std::string PodPastText(const PodPast& past, std::optional<int> attempt, const text::Style& style) {
  std::string text = fmt::format("{} {}: {}\n", style.paint(Tone::Heading, "Pod"), text::Printable(past.pod),
                                 Counted(past.attempts.size(), "attempt"));
  if (attempt) {
    for (const DecisionRecord& record : past.attempts) {
      if (record.attempt == *attempt) text += Attempt(past, record, record.nodes, style);
    }
    return text;
  }
  // A change precedes the attempts of the same moment, except that a pod starts running after them.
  size_t told = 0;
  const auto tell_attempts = [&](Duration until, bool with_last_moment) {
    for (; told < past.attempts.size(); ++told) {
      const Duration at = past.attempts[told].time - past.start;
      if (at > until || (at == until && !with_last_moment)) break;
      text += Attempt(past, past.attempts[told], style.wide ? past.attempts[told].nodes : kFewNodes, style);
    }
  };
  for (const PodPast::Change& change : past.changes) {
    tell_attempts(change.at, /*with_last_moment=*/change.what == "running");
    text += Moment(change.at, past.start, change.what);
  }
  tell_attempts(Duration::max(), /*with_last_moment=*/true);
  return text;
}

}  // namespace berth::simulator
