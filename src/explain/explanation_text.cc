// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation_text.h"

#include "text/amount.h"
#include "text/layout.h"
#include "text/table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::explain {
namespace {

using text::AmountText;
using text::Cell;
using text::Counted;
using text::Listed;
using text::Printable;
using text::Table;
using text::Tone;
using text::Wrapped;
using Outcome = Explanation::Outcome;

constexpr size_t kLabelWidth = 12;
constexpr size_t kFewNodes = 3;
constexpr size_t kDecidingPlugins = 3;

// Writes labelled paragraphs: the label once, the text wrapped beside it.
class Page {
 public:
  explicit Page(const text::Style& style) : style_(style) {}

  void Add(std::string_view label, std::string_view text, Tone tone = Tone::Plain) {
    std::string lines = Wrapped(text, kLabelWidth, style_.width);
    if (lines.empty()) return;
    const std::string spaces(kLabelWidth - std::min(kLabelWidth, label.size()), ' ');
    lines.replace(0, kLabelWidth, style_.paint(Tone::Heading, label) + spaces);
    text_ += tone == Tone::Plain ? lines : style_.paint(tone, lines);
  }
  void AddRaw(std::string_view text) { text_ += text; }
  const text::Style& style() const { return style_; }
  std::string text() && { return std::move(text_); }

 private:
  const text::Style& style_;
  std::string text_;
};

std::string NeedsText(const PodNeeds& needs) {
  std::vector<std::string> parts;
  std::vector<std::string> amounts;
  for (const Amount& amount : needs.requests) {
    amounts.push_back(fmt::format("{} {}", amount.resource, AmountText(amount.resource, amount.value)));
  }
  parts.push_back(amounts.empty() ? "no resources" : fmt::format("{}", fmt::join(amounts, ", ")));
  for (const auto& [key, value] : needs.node_selector) parts.push_back(fmt::format("nodeSelector {}={}", key, value));
  parts.insert(parts.end(), needs.rules.begin(), needs.rules.end());
  parts.push_back(fmt::format("priority {}", needs.priority));
  return fmt::format("{}", fmt::join(parts, "; "));
}

void AddTitle(const Explanation& explanation, Page& page) {
  const auto& paint = page.style().paint;
  std::string word;
  if (!explanation.runs_on.empty()) {
    word = paint(Tone::Good, "RUNNING") + " on " + Printable(explanation.runs_on);
  } else if (!explanation.gated_by.empty()) {
    word = paint(Tone::Warning, "GATED");
  } else if (explanation.outcome == Outcome::Placed) {
    word = paint(Tone::Good, "CAN BE PLACED");
  } else {
    word = paint(Tone::Bad, "PENDING");
  }
  page.AddRaw(
      fmt::format("{}  pod {}, profile {}\n", word, Printable(explanation.pod), Printable(explanation.profile)));
  if (!explanation.gated_by.empty()) {
    page.Add("Gate", fmt::format("{}: {}. Once it is gone:", explanation.gated_by, explanation.gate_message));
  }
}

void AddFunnel(const Explanation& explanation, Page& page) {
  if (explanation.funnel.empty()) return;
  std::string line = Counted(explanation.node_count, "node");
  for (const FunnelStep& step : explanation.funnel) {
    if (step.rejected != 0) line += fmt::format(" ─ {} {}", step.rejected, step.plugin.empty() ? "all" : step.plugin);
  }
  line += fmt::format(" ─▶ {} left", explanation.funnel.back().left);
  page.Add("Nodes", line);
  Table table({"REJECTED BY", "NODES", "REASON"});
  table.AlignRight(1);
  for (const FunnelStep& step : explanation.funnel) {
    for (size_t i = 0; i < step.reasons.size(); ++i) {
      table.Add({{i == 0 ? step.plugin : ""}, {std::to_string(step.reasons[i].second)}, {step.reasons[i].first}});
    }
  }
  if (!table.empty()) page.AddRaw(table.ToText(page.style().paint, kLabelWidth));
}

std::vector<std::string> ObjectionsOf(const RejectedNode& node) {
  std::vector<std::string> objections;
  for (const Objection& objection : node.objections) {
    const auto& texts = objection.lacks.empty() ? objection.reasons : objection.lacks;
    objections.insert(objections.end(), texts.begin(), texts.end());
  }
  return objections;
}

void AddClosest(const Explanation& explanation, Page& page) {
  const size_t shown = std::min(kFewNodes, explanation.rejected.size());
  for (size_t i = 0; i < shown; ++i) {
    const RejectedNode& node = explanation.rejected[i];
    page.Add(i == 0 ? "Closest" : "", fmt::format("{}: {}{}", node.name, fmt::join(ObjectionsOf(node), "; "),
                                                  node.objections.size() == 1 ? " (only blocker)" : ""));
  }
}

std::string VictimsText(const PreemptionOption& option) {
  std::vector<std::string> victims;
  for (const Victim& victim : option.victims) {
    victims.push_back(fmt::format("{} (priority {})", victim.pod, victim.priority));
  }
  std::string text = fmt::format("{}: evicts {}", option.node, Listed(victims));
  if (option.budget_violations != 0) {
    text += fmt::format(", breaking {}", option.broken_budgets.empty()
                                             ? Counted(static_cast<size_t>(option.budget_violations), "budget")
                                             : "budget " + Listed(option.broken_budgets));
  } else {
    text += ", no budget broken";
  }
  return text;
}

void AddPreemption(const Explanation& explanation, Page& page) {
  if (!explanation.preemption) return;
  const PreemptionAnswer& answer = *explanation.preemption;
  if (!answer.forbidden.empty()) {
    page.Add("Preemption", "not allowed: " + answer.forbidden);
  } else if (answer.options.empty()) {
    page.Add("Preemption", "no: no node would take the pod after evicting pods of lower priority");
  }
  const size_t shown = page.style().wide ? answer.options.size() : std::min(kFewNodes, answer.options.size());
  for (size_t i = 0; i < shown; ++i) {
    const PreemptionOption& option = answer.options[i];
    page.Add(i == 0 ? "Preemption" : "", VictimsText(option) + (option.best ? " ← would be nominated" : ""));
  }
}

std::string DifferencesText(const Comparison& comparison) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(kDecidingPlugins, comparison.differences.size()); ++i) {
    parts.push_back(fmt::format("{} {:+}", comparison.differences[i].first, comparison.differences[i].second));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void AddChoice(const Explanation& explanation, Page& page) {
  if (explanation.chosen.empty()) return;
  std::string text = explanation.chosen;
  if (explanation.nominated_before) {
    text += ": promised to the pod by an earlier preemption, and it fits there";
  } else if (!explanation.runner_up) {
    text += ": the only node left, so no scores decide";
  } else if (explanation.runner_up->margin == 0) {
    text += fmt::format(": {} nodes share the highest total of {}, one of them is taken by chance", explanation.tied,
                        explanation.feasible.front().total);
  } else {
    text += fmt::format(": total {}, ahead of {} by {}: {}", explanation.feasible.front().total,
                        explanation.runner_up->other, explanation.runner_up->margin,
                        DifferencesText(*explanation.runner_up));
  }
  page.Add("Chosen", text);
}

// Plugins in rows, nodes in columns: plugin names are long, and only a few nodes matter.
void AddScores(const std::vector<const ScoredNode*>& nodes, Page& page) {
  if (nodes.empty() || nodes.front()->parts.empty()) return;
  std::vector<std::string> headings = {"SCORE (WEIGHTED)"};
  for (const ScoredNode* node : nodes) headings.push_back(node->name);
  Table table(std::move(headings));
  for (size_t column = 1; column <= nodes.size(); ++column) table.AlignRight(column);
  for (size_t part = 0; part < nodes.front()->parts.size(); ++part) {
    const ScorePart& first = nodes.front()->parts[part];
    std::vector<Cell> row = {{fmt::format("{} ×{}", first.plugin, first.weight)}};
    for (const ScoredNode* node : nodes) row.push_back({std::to_string(node->parts[part].weighted)});
    table.Add(std::move(row));
  }
  std::vector<Cell> totals = {{"total", Tone::Heading}};
  for (const ScoredNode* node : nodes) totals.push_back({std::to_string(node->total), Tone::Heading});
  table.Add(std::move(totals));
  page.AddRaw(table.ToText(page.style().paint, kLabelWidth));
}

void AddBestScores(const Explanation& explanation, Page& page) {
  std::vector<const ScoredNode*> nodes;
  for (size_t i = 0; i < std::min(kFewNodes, explanation.feasible.size()); ++i) {
    nodes.push_back(&explanation.feasible[i]);
  }
  AddScores(nodes, page);
}

std::string RankText(const Explanation& explanation, const ScoredNode& node) {
  const auto rank = static_cast<size_t>(&node - explanation.feasible.data()) + 1;
  const Comparison comparison = Compare(explanation.feasible.front(), node);
  if (rank == 1) return fmt::format("best of {}", Counted(explanation.feasible.size(), "feasible node"));
  std::string text = fmt::format("rank {} of {} by total {}", rank, explanation.feasible.size(), node.total);
  if (comparison.margin == 0) return text + fmt::format(", level with {}", comparison.winner);
  return text + fmt::format(", {} behind {}: {}", comparison.margin, comparison.winner, DifferencesText(comparison));
}

void AddNow(const Explanation& explanation, Page& page) {
  if (explanation.runs_on.empty()) return;
  if (explanation.runs_on == explanation.chosen) {
    page.Add("Now", "would be placed on the same node again");
  } else if (const ScoredNode* node = explanation.FindFeasible(explanation.runs_on)) {
    page.Add("Now", fmt::format("would be placed on {}; {} is {}", explanation.chosen, explanation.runs_on,
                                RankText(explanation, *node)));
  } else if (const RejectedNode* rejected = explanation.FindRejected(explanation.runs_on)) {
    page.Add("Now", fmt::format("{} could not take it any more: {}", explanation.runs_on,
                                fmt::join(ObjectionsOf(*rejected), "; ")));
  } else {
    page.Add("Now", fmt::format("{} is not part of the described cluster", explanation.runs_on));
  }
}

void AddEveryNode(const Explanation& explanation, Page& page) {
  Table table({"NODE", "VERDICT", "TOTAL", "WHY"});
  table.AlignRight(2);
  for (const ScoredNode& node : explanation.feasible) {
    table.Add({{node.name},
               {node.name == explanation.chosen ? "chosen" : "feasible", Tone::Good},
               {node.parts.empty() ? "-" : std::to_string(node.total)},
               {""}});
  }
  for (const RejectedNode& node : explanation.rejected) {
    std::vector<std::string> objections;
    for (const Objection& objection : node.objections) {
      objections.push_back(fmt::format("{}: {}", objection.plugin,
                                       fmt::join(objection.lacks.empty() ? objection.reasons : objection.lacks, ", ")));
    }
    table.Add({{node.name}, {"rejected", Tone::Bad}, {"-"}, {fmt::format("{}", fmt::join(objections, "; "))}});
  }
  if (!table.empty()) page.AddRaw("\n" + table.ToText(page.style().paint));
}

}  // namespace

std::string ExplanationText(const Explanation& explanation, const text::Style& style) {
  Page page(style);
  AddTitle(explanation, page);
  page.Add("Needs", NeedsText(explanation.needs));
  AddFunnel(explanation, page);
  AddNow(explanation, page);
  AddChoice(explanation, page);
  AddBestScores(explanation, page);
  if (explanation.outcome != Outcome::Placed) {
    AddClosest(explanation, page);
    for (size_t i = 0; i < explanation.would_help.size(); ++i) {
      page.Add(i == 0 ? "Would help" : "", "▸ " + explanation.would_help[i]);
    }
    AddPreemption(explanation, page);
    page.Add("Event", explanation.message);
  }
  const bool is_pending = explanation.runs_on.empty();
  if (is_pending && explanation.outcome == Outcome::Placed && explanation.others_pending != 0) {
    page.Add("Note", fmt::format("judged alone: {} left out; `berth simulate` places all in turn",
                                 explanation.others_pending == 1
                                     ? "1 other pending pod is"
                                     : fmt::format("{} other pending pods are", explanation.others_pending)));
  }
  if (style.wide) {
    AddEveryNode(explanation, page);
  } else if (explanation.node_count != 0) {
    page.AddRaw(style.paint(Tone::Quiet, "All nodes: -o wide    as data: -o json    one node: --node NAME") + "\n");
  }
  return std::move(page).text();
}

std::string NodeAnswerText(const Explanation& explanation, const std::string& node, const text::Style& style) {
  Page page(style);
  const RejectedNode* rejected = explanation.FindRejected(node);
  const ScoredNode* feasible = explanation.FindFeasible(node);
  page.AddRaw(
      fmt::format("{}  pod {} on node {}, profile {}\n",
                  feasible != nullptr ? style.paint(Tone::Good, "FITS") : style.paint(Tone::Bad, "DOES NOT FIT"),
                  Printable(explanation.pod), Printable(node), Printable(explanation.profile)));
  page.Add("Needs", NeedsText(explanation.needs));
  if (rejected != nullptr) {
    for (size_t i = 0; i < rejected->objections.size(); ++i) {
      const Objection& objection = rejected->objections[i];
      std::string text = fmt::format("{}: {}", objection.plugin, fmt::join(objection.reasons, ", "));
      if (!objection.lacks.empty()) text += fmt::format(" ({})", fmt::join(objection.lacks, "; "));
      page.Add(i == 0 ? "Fails" : "", text);
    }
    if (explanation.preemption) {
      for (const PreemptionOption& option : explanation.preemption->options) {
        if (option.node == node) page.Add("Preemption", VictimsText(option));
      }
    }
  } else if (feasible == nullptr) {
    page.Add("Fails", explanation.pre_filter_message.empty()
                          ? explanation.message
                          : fmt::format("on every node: {}", explanation.pre_filter_message));
  } else if (!feasible->parts.empty()) {
    page.Add("Rank", RankText(explanation, *feasible));
    std::vector<const ScoredNode*> nodes = {feasible};
    if (feasible != &explanation.feasible.front()) nodes.push_back(&explanation.feasible.front());
    AddScores(nodes, page);
  } else {
    page.Add("Rank", "the only node left, so no scores decide");
  }
  return std::move(page).text();
}

}  // namespace berth::explain
