// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/preferences.h"

#include "api/label_syntax.h"
#include "plugins/node_affinity/node_sets.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::plugins {
namespace {

using namespace framework;

bool Counts(const api::PreferredSchedulingTerm& term) { return term.weight != 0 && !term.preference.empty(); }

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted += '"';
}

// Whether the text would be a label value but for its length.
bool HasLabelForm(std::string_view text) {
  const auto is_alphanumeric = [](char c) { return api::IsLabelValue({&c, 1}); };
  return is_alphanumeric(text.front()) && is_alphanumeric(text.back()) && std::ranges::all_of(text, [&](char c) {
           return is_alphanumeric(c) || std::string_view("-_.").find(c) != std::string_view::npos;
         });
}

std::optional<std::string> LabelValueProblem(std::string_view value) {
  if (api::IsLabelValue(value)) return std::nullopt;
  std::vector<std::string_view> problems;
  if (value.size() > 63) problems.emplace_back("must be no more than 63 bytes");
  if (!HasLabelForm(value)) {
    problems.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
        "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  }
  return fmt::format("{}", fmt::join(problems, "; "));
}

void NoteProblems(const api::NodeSelectorRequirement& requirement, const std::string& path,
                  std::vector<std::string>& problems) {
  const std::optional<std::string> problem = api::ParseProblem(requirement, /*is_field=*/false);
  if (!problem) return;
  const size_t known = problems.size();
  const bool is_bound = (requirement.op == "Gt" || requirement.op == "Lt") && requirement.values.size() == 1;
  if (is_bound && !api::ParseInteger(requirement.values[0])) {
    problems.push_back(
        fmt::format("{}.values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer", path,
                    Quoted(requirement.values[0])));
  }
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    if (const auto value_problem = LabelValueProblem(requirement.values[i])) {
      problems.push_back(fmt::format("{}.values[{}][{}]: Invalid value: {}: {}", path, i, requirement.key,
                                     Quoted(requirement.values[i]), *value_problem));
    }
  }
  // Whatever else is wrong, the API server refuses; here upstream's words do not matter.
  if (problems.size() == known) problems.push_back(fmt::format("{}: {}", path, *problem));
}

}  // namespace

std::optional<std::string> PreferencesProblem(Preferences terms) {
  std::vector<std::string> problems;
  for (size_t t = 0; t < terms.size(); ++t) {
    if (!Counts(terms[t]) || api::Parses(terms[t].preference)) continue;
    const api::NodeSelectorTerm& term = terms[t].preference;
    for (size_t i = 0; i < term.match_expressions.size(); ++i) {
      NoteProblems(term.match_expressions[i], fmt::format("[{}].matchExpressions[{}]", t, i), problems);
    }
    for (size_t i = 0; i < term.match_fields.size(); ++i) {
      if (const auto problem = api::ParseProblem(term.match_fields[i], /*is_field=*/true)) {
        problems.push_back(fmt::format("[{}].matchFields[{}]: {}", t, i, *problem));
      }
    }
  }
  if (problems.empty()) return std::nullopt;
  if (problems.size() == 1) return problems.front();
  return fmt::format("[{}]", fmt::join(problems, ", "));
}

int64_t ScoreOf(Preferences terms, const api::Node& node) {
  int64_t score = 0;
  for (const api::PreferredSchedulingTerm& term : terms) {
    if (Matches(term.preference, node)) score += term.weight;
  }
  return score;
}

void PreferredNodes::Add(Preferences terms, IndexedCluster& cluster) {
  for (const api::PreferredSchedulingTerm& term : terms) {
    if (!Counts(term)) continue;
    Bitset nodes = cluster.live_nodes();
    KeepMatching(term.preference, cluster, nodes);
    if (nodes == cluster.live_nodes()) {
      everywhere += term.weight;
    } else if (nodes.Any()) {
      somewhere.emplace_back(term.weight, std::move(nodes));
    }
  }
}

}  // namespace berth::plugins
