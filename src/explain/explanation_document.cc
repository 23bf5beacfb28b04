// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation_document.h"

#include "text/amount.h"
#include "text/report_values.h"

namespace berth::explain {
namespace {

using api::Value;
using text::CountValue;
using text::ExactAmount;
using text::ListOf;
using text::TextValue;
using text::TextValues;

std::string_view OutcomeName(Explanation::Outcome outcome) {
  switch (outcome) {
    case Explanation::Outcome::Placed: return "Placed";
    case Explanation::Outcome::Unschedulable: return "Unschedulable";
    case Explanation::Outcome::Error: break;
  }
  return "Error";
}

Value NeedsValue(const PodNeeds& needs) {
  Value value = Value::Map();
  Value requests = Value::Map();
  for (const Amount& amount : needs.requests) {
    requests.Set(amount.resource, TextValue(ExactAmount(amount.resource, amount.value)));
  }
  value.Set("requests", std::move(requests));
  if (!needs.node_selector.empty()) {
    Value selector = Value::Map();
    for (const auto& [key, label] : needs.node_selector) selector.Set(key, TextValue(label));
    value.Set("nodeSelector", std::move(selector));
  }
  if (!needs.rules.empty()) value.Set("rules", TextValues(needs.rules));
  value.Set("priority", Value::Int(needs.priority));
  return value;
}

Value StepValue(const FunnelStep& step) {
  Value value = Value::Map();
  value.Set("plugin", TextValue(step.plugin));
  value.Set("point", TextValue(step.point));
  value.Set("rejected", CountValue(step.rejected));
  value.Set("left", CountValue(step.left));
  if (!step.reasons.empty()) {
    value.Set("reasons", ListOf(step.reasons, [](const auto& reason) {
                Value entry = Value::Map();
                entry.Set("reason", TextValue(reason.first));
                entry.Set("nodes", CountValue(reason.second));
                return entry;
              }));
  }
  return value;
}

Value ObjectionValue(const Objection& objection) {
  Value value = Value::Map();
  value.Set("plugin", TextValue(objection.plugin));
  value.Set("code", TextValue(objection.code));
  value.Set("reasons", TextValues(objection.reasons));
  if (!objection.lacks.empty()) value.Set("lacks", TextValues(objection.lacks));
  return value;
}

Value ShortfallValue(const Shortfall& shortfall) {
  const auto amount = [&](int64_t value) { return TextValue(ExactAmount(shortfall.resource, value)); };
  Value value = Value::Map();
  value.Set("resource", TextValue(shortfall.resource));
  value.Set("requested", amount(shortfall.requested));
  value.Set("free", amount(shortfall.free));
  value.Set("missing", amount(shortfall.missing()));
  return value;
}

Value RejectedValue(const RejectedNode& node) {
  Value value = Value::Map();
  value.Set("node", TextValue(node.name));
  value.Set("preemptionMayHelp", Value::Bool(node.preemption_may_help));
  value.Set("failures", ListOf(node.objections, ObjectionValue));
  if (!node.shortfalls.empty()) value.Set("shortfalls", ListOf(node.shortfalls, ShortfallValue));
  return value;
}

Value ScoredValue(const ScoredNode& node) {
  Value value = Value::Map();
  value.Set("node", TextValue(node.name));
  if (node.parts.empty()) return value;
  value.Set("total", Value::Int(node.total));
  value.Set("parts", ListOf(node.parts, [](const ScorePart& part) {
              Value entry = Value::Map();
              entry.Set("plugin", TextValue(part.plugin));
              entry.Set("weight", Value::Int(part.weight));
              entry.Set("raw", Value::Int(part.raw));
              entry.Set("weighted", Value::Int(part.weighted));
              return entry;
            }));
  return value;
}

Value ComparisonValue(const Comparison& comparison) {
  Value value = Value::Map();
  value.Set("winner", TextValue(comparison.winner));
  value.Set("other", TextValue(comparison.other));
  value.Set("margin", Value::Int(comparison.margin));
  value.Set("differences", ListOf(comparison.differences, [](const auto& difference) {
              Value entry = Value::Map();
              entry.Set("plugin", TextValue(difference.first));
              entry.Set("points", Value::Int(difference.second));
              return entry;
            }));
  return value;
}

Value OptionValue(const PreemptionOption& option) {
  Value value = Value::Map();
  value.Set("node", TextValue(option.node));
  value.Set("best", Value::Bool(option.best));
  value.Set("victims", ListOf(option.victims, [](const Victim& victim) {
              Value entry = Value::Map();
              entry.Set("pod", TextValue(victim.pod));
              entry.Set("priority", Value::Int(victim.priority));
              return entry;
            }));
  value.Set("budgetViolations", Value::Int(option.budget_violations));
  if (!option.broken_budgets.empty()) value.Set("brokenBudgets", TextValues(option.broken_budgets));
  return value;
}

Value PreemptionValue(const PreemptionAnswer& answer) {
  Value value = Value::Map();
  value.Set("allowed", Value::Bool(answer.forbidden.empty()));
  if (!answer.forbidden.empty()) value.Set("forbidden", TextValue(answer.forbidden));
  value.Set("candidates", ListOf(answer.options, OptionValue));
  if (!answer.message.empty()) value.Set("message", TextValue(answer.message));
  return value;
}

Value NodeAnswer(const Explanation& explanation, const std::string& node) {
  Value value;
  if (const RejectedNode* rejected = explanation.FindRejected(node)) {
    value = RejectedValue(*rejected);
  } else if (const ScoredNode* feasible = explanation.FindFeasible(node)) {
    value = ScoredValue(*feasible);
    if (!feasible->parts.empty() && feasible != &explanation.feasible.front()) {
      value.Set("comparison", ComparisonValue(Compare(explanation.feasible.front(), *feasible)));
    }
  } else {
    value.Set("node", TextValue(node));
  }
  value.Set("fits", Value::Bool(explanation.FindFeasible(node) != nullptr));
  return value;
}

// The results of filtering and scoring.
void AddNodes(const Explanation& explanation, Value& document) {
  Value nodes = Value::Map();
  nodes.Set("total", CountValue(explanation.node_count));
  nodes.Set("feasible", CountValue(explanation.feasible.size()));
  document.Set("nodes", std::move(nodes));
  if (!explanation.pre_filter_message.empty()) {
    Value pre_filter = Value::Map();
    if (!explanation.pre_filter_plugin.empty()) pre_filter.Set("plugin", TextValue(explanation.pre_filter_plugin));
    pre_filter.Set("message", TextValue(explanation.pre_filter_message));
    document.Set("preFilter", std::move(pre_filter));
  }
  document.Set("funnel", ListOf(explanation.funnel, StepValue));
  if (!explanation.chosen.empty()) {
    Value choice = Value::Map();
    choice.Set("node", TextValue(explanation.chosen));
    choice.Set("tied", CountValue(explanation.tied));
    if (explanation.nominated_before) choice.Set("nominatedBefore", Value::Bool(true));
    if (explanation.runner_up) choice.Set("runnerUp", ComparisonValue(*explanation.runner_up));
    document.Set("choice", std::move(choice));
  }
  document.Set("feasibleNodes", ListOf(explanation.feasible, ScoredValue));
  document.Set("rejectedNodes", ListOf(explanation.rejected, RejectedValue));
}

}  // namespace

Value ExplanationDocument(const Explanation& explanation, const std::string& node) {
  Value document = Value::Map();
  document.Set("apiVersion", TextValue(text::kReportVersion));
  document.Set("kind", TextValue("Explanation"));
  document.Set("pod", TextValue(explanation.pod));
  document.Set("profile", TextValue(explanation.profile));
  document.Set("outcome", TextValue(OutcomeName(explanation.outcome)));
  if (!explanation.runs_on.empty()) document.Set("runsOn", TextValue(explanation.runs_on));
  if (!explanation.gated_by.empty()) {
    Value gate = Value::Map();
    gate.Set("plugin", TextValue(explanation.gated_by));
    gate.Set("message", TextValue(explanation.gate_message));
    document.Set("gate", std::move(gate));
  }
  if (!node.empty()) document.Set("asked", NodeAnswer(explanation, node));
  if (!explanation.message.empty()) document.Set("message", TextValue(explanation.message));
  document.Set("needs", NeedsValue(explanation.needs));
  AddNodes(explanation, document);
  if (explanation.preemption) document.Set("preemption", PreemptionValue(*explanation.preemption));
  if (!explanation.would_help.empty()) document.Set("wouldHelp", TextValues(explanation.would_help));
  document.Set("otherPendingPods", CountValue(explanation.others_pending));
  return document;
}

}  // namespace berth::explain
