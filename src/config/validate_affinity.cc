// SPDX-License-Identifier: Apache-2.0
#include "api/label_syntax.h"
#include "config/qualified_name.h"
#include "config/validate.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::config {
namespace {

std::string ListText(const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back(Quoted(value));
  return fmt::format("[{}]", fmt::join(quoted, ","));
}

void CheckCount(const api::NodeSelectorRequirement& expression, const std::string& path, Messages& messages) {
  const size_t count = expression.values.size();
  std::string_view problem;
  if (expression.op == "In" || expression.op == "NotIn") {
    if (count == 0) problem = "for 'in', 'notin' operators, values set can't be empty";
  } else if (expression.op == "Gt" || expression.op == "Lt") {
    if (count != 1) problem = "for 'Gt', 'Lt' operators, exactly one value is required";
  } else if (count != 0) {
    problem = "values set must be empty for exists and does not exist";
  }
  if (!problem.empty()) messages.push_back(InvalidRaw(path, ListText(expression.values), problem));
}

void CheckExpression(const api::NodeSelectorRequirement& expression, const std::string& path, Messages& messages) {
  static const std::vector<std::string> kOperators = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  if (std::ranges::find(kOperators, expression.op) == kOperators.end()) {
    messages.push_back(Unsupported(Child(path, "operator"), expression.op, kOperators));
    return;
  }
  for (const std::string& problem : QualifiedNameProblems(expression.key)) {
    messages.push_back(Invalid(Child(path, "key"), expression.key, problem));
  }
  const std::string values = Child(path, "values");
  CheckCount(expression, values, messages);
  const bool numeric = expression.op == "Gt" || expression.op == "Lt";
  for (size_t i = 0; i < expression.values.size(); ++i) {
    const std::string& value = expression.values[i];
    if (numeric && !api::ParseInteger(value)) {
      messages.push_back(Invalid(Index(values, i), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
    if (!api::IsLabelValue(value)) messages.push_back(Invalid(Index(values, i), value, "is not a valid label value"));
  }
}

void CheckField(const api::NodeSelectorRequirement& field, const std::string& path, Messages& messages) {
  if (field.op != "In" && field.op != "NotIn") {
    messages.push_back(Unsupported(Child(path, "operator"), field.op, {"In", "NotIn"}));
  } else if (field.values.size() != 1) {
    messages.push_back(InvalidRaw(Child(path, "values"), ListText(field.values), "must have one element"));
  }
}

void CheckTerm(const api::NodeSelectorTerm& term, const std::string& path, Messages& messages) {
  for (size_t i = 0; i < term.match_expressions.size(); ++i) {
    CheckExpression(term.match_expressions[i], Index(Child(path, "matchExpressions"), i), messages);
  }
  for (size_t i = 0; i < term.match_fields.size(); ++i) {
    CheckField(term.match_fields[i], Index(Child(path, "matchFields"), i), messages);
  }
}

}  // namespace

Messages ValidateAddedAffinity(const api::NodeAffinity& affinity, const std::string& path) {
  Messages messages;
  if (affinity.required) {
    const std::string terms = Child(path, "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    for (size_t i = 0; i < affinity.required->terms.size(); ++i) {
      CheckTerm(affinity.required->terms[i], Index(terms, i), messages);
    }
  }
  const std::string preferred = Child(path, "preferredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < affinity.preferred.size(); ++i) {
    // Upstream does not parse terms that count nothing.
    if (affinity.preferred[i].weight == 0) continue;
    CheckTerm(affinity.preferred[i].preference, Index(preferred, i), messages);
  }
  return messages;
}

}  // namespace berth::config
