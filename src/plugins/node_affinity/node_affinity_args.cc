// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/node_affinity_args.h"

#include "api/label_syntax.h"
#include "config/fields/field_errors.h"
#include "config/fields/qualified_name.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::plugins {
namespace {

using api::FieldReader;
using config::Child;
using config::Index;
using config::Invalid;
using config::Messages;

// Cluster objects are read leniently; configuration is not, hence a reader that refuses unknown fields.
std::vector<api::NodeSelectorRequirement> DecodeRequirements(FieldReader& reader, std::string_view key) {
  std::vector<api::NodeSelectorRequirement> requirements;
  reader.ForEach(key, [&](FieldReader& map) {
    requirements.push_back({map.String("key"), map.String("operator"), map.Strings("values")});
    map.RejectUnknown();
  });
  return requirements;
}

api::NodeSelectorTerm DecodeTerm(FieldReader& reader) {
  api::NodeSelectorTerm term{DecodeRequirements(reader, "matchExpressions"), DecodeRequirements(reader, "matchFields")};
  reader.RejectUnknown();
  return term;
}

api::NodeAffinity DecodeNodeAffinity(FieldReader& reader) {
  api::NodeAffinity affinity;
  reader.Map("requiredDuringSchedulingIgnoredDuringExecution", [&](FieldReader& map) {
    affinity.required.emplace();
    map.ForEach("nodeSelectorTerms", [&](FieldReader& term) { affinity.required->terms.push_back(DecodeTerm(term)); });
    map.RejectUnknown();
  });
  reader.ForEach("preferredDuringSchedulingIgnoredDuringExecution", [&](FieldReader& map) {
    api::PreferredSchedulingTerm preferred;
    preferred.weight = map.Int32("weight").value_or(0);
    map.Map("preference", [&](FieldReader& term) { preferred.preference = DecodeTerm(term); });
    map.RejectUnknown();
    affinity.preferred.push_back(std::move(preferred));
  });
  reader.RejectUnknown();
  return affinity;
}

std::string ListText(const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back(config::Quoted(value));
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
  if (!problem.empty()) messages.push_back(config::InvalidRaw(path, ListText(expression.values), problem));
}

void CheckExpression(const api::NodeSelectorRequirement& expression, const std::string& path, Messages& messages) {
  static const std::vector<std::string> kOperators = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  if (std::ranges::find(kOperators, expression.op) == kOperators.end()) {
    messages.push_back(config::Unsupported(Child(path, "operator"), expression.op, kOperators));
    return;
  }
  for (const std::string& problem : config::QualifiedNameProblems(expression.key)) {
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
    messages.push_back(config::Unsupported(Child(path, "operator"), field.op, {"In", "NotIn"}));
  } else if (field.values.size() != 1) {
    messages.push_back(config::InvalidRaw(Child(path, "values"), ListText(field.values), "must have one element"));
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

void NodeAffinityArgs::Decode(FieldReader& reader) {
  const bool is_given =
      reader.Map("addedAffinity", [&](FieldReader& map) { added_affinity = DecodeNodeAffinity(map); });
  if (is_given) written_affinity_ = *reader.Raw("addedAffinity");
}

void NodeAffinityArgs::Encode(api::Value& map) const {
  if (added_affinity) map.Set("addedAffinity", written_affinity_);
}

std::vector<std::string> NodeAffinityArgs::Validate(const std::string& path, const features::FeatureGates&) const {
  Messages messages;
  if (!added_affinity) return messages;
  const std::string at = Child(path, "addedAffinity");
  if (added_affinity->required) {
    const std::string terms = Child(at, "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    for (size_t i = 0; i < added_affinity->required->terms.size(); ++i) {
      CheckTerm(added_affinity->required->terms[i], Index(terms, i), messages);
    }
  }
  const std::string preferred = Child(at, "preferredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < added_affinity->preferred.size(); ++i) {
    // Upstream does not parse terms that count nothing.
    if (added_affinity->preferred[i].weight == 0) continue;
    CheckTerm(added_affinity->preferred[i].preference, Index(preferred, i), messages);
  }
  return messages;
}

}  // namespace berth::plugins
