// SPDX-License-Identifier: Apache-2.0
#include "api/node_selector.h"

#include "api/label_syntax.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::api {
namespace {

bool IsOrder(std::string_view op) { return op == "Gt" || op == "Lt"; }

std::optional<std::string> FieldProblem(const NodeSelectorRequirement& requirement) {
  if (requirement.op != "In" && requirement.op != "NotIn") {
    return fmt::format("\"{}\" is not a valid field selector operator", requirement.op);
  }
  if (requirement.values.size() != 1) return std::string("must have one element");
  return std::nullopt;
}

// Whether the values' number and form suit the operator.
std::optional<std::string> ValuesProblem(const NodeSelectorRequirement& requirement) {
  if (requirement.op == "In" || requirement.op == "NotIn") {
    if (requirement.values.empty()) return std::string("In and NotIn need at least one value");
  } else if (requirement.op == "Exists" || requirement.op == "DoesNotExist") {
    if (!requirement.values.empty()) return std::string("Exists and DoesNotExist take no values");
  } else if (IsOrder(requirement.op)) {
    if (requirement.values.size() != 1) return std::string("Gt and Lt need exactly one value");
    if (!ParseInteger(requirement.values[0])) return std::string("the value of Gt and Lt must be an integer");
  } else {
    return fmt::format("\"{}\" is not a valid node selector operator", requirement.op);
  }
  return std::nullopt;
}

bool FieldHolds(const NodeSelectorRequirement& requirement, const std::string& node_name) {
  // A field that nodes do not offer reads as empty.
  const bool equal = (requirement.key == "metadata.name" ? node_name : std::string()) == requirement.values[0];
  return equal == (requirement.op == "In");
}

}  // namespace

bool Holds(const NodeSelectorRequirement& requirement, const Labels& labels) {
  const std::string* value = labels.Find(requirement.key);
  const std::string& op = requirement.op;
  if (op == "In") return value != nullptr && std::ranges::count(requirement.values, *value) > 0;
  if (op == "NotIn") return value == nullptr || std::ranges::count(requirement.values, *value) == 0;
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  if (value == nullptr) return false;
  const std::optional<int64_t> have = ParseInteger(*value);
  const std::optional<int64_t> bound = ParseInteger(requirement.values[0]);
  return have && bound && (op == "Gt" ? *have > *bound : *have < *bound);
}

std::optional<std::string> ParseProblem(const NodeSelectorRequirement& requirement, bool is_field) {
  if (is_field) return FieldProblem(requirement);
  if (auto problem = ValuesProblem(requirement)) return problem;
  if (!IsLabelKey(requirement.key)) return fmt::format("\"{}\" is not a valid label key", requirement.key);
  // Upstream holds the bound of Gt and Lt to label syntax too, so "-3" is refused although it is an integer.
  for (const std::string& value : requirement.values) {
    if (!IsLabelValue(value)) return fmt::format("\"{}\" is not a valid label value", value);
  }
  return std::nullopt;
}

bool Parses(const NodeSelectorTerm& term) {
  return std::ranges::none_of(term.match_expressions,
                              [](const auto& r) { return ParseProblem(r, false).has_value(); }) &&
         std::ranges::none_of(term.match_fields, [](const auto& r) { return ParseProblem(r, true).has_value(); });
}

bool Matches(const NodeSelectorRequirement& requirement, const Labels& labels) {
  return !ParseProblem(requirement, false) && Holds(requirement, labels);
}

bool Matches(const NodeSelectorTerm& term, const Labels& labels, const std::string& node_name) {
  if (term.empty() || !Parses(term)) return false;
  if (!std::ranges::all_of(term.match_expressions, [&](const auto& r) { return Holds(r, labels); })) return false;
  // A node without a name has no fields to ask about, and then upstream asks nothing.
  return node_name.empty() ||
         std::ranges::all_of(term.match_fields, [&](const auto& r) { return FieldHolds(r, node_name); });
}

bool Matches(const NodeSelector& selector, const Labels& labels, const std::string& node_name) {
  return std::ranges::any_of(selector.terms, [&](const auto& term) { return Matches(term, labels, node_name); });
}

}  // namespace berth::api
