// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::api {

struct NodeSelectorRequirement {
  std::string key;
  std::string op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt
  std::vector<std::string> values;
  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

// Requirements are ANDed; a term without any matches no node.
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;  // metadata.name only
  bool empty() const { return match_expressions.empty() && match_fields.empty(); }
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

// Terms are ORed.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;
  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

struct PreferredSchedulingTerm {
  int32_t weight = 0;
  NodeSelectorTerm preference;
};

// Upstream's rules; whatever does not parse (unknown operator, Gt of a word) matches nothing.
bool Matches(const NodeSelectorRequirement& requirement, const Labels& labels);
bool Matches(const NodeSelectorTerm& term, const Labels& labels, const std::string& node_name);
bool Matches(const NodeSelector& selector, const Labels& labels, const std::string& node_name);

// Matches, for a requirement that is known to parse.
bool Holds(const NodeSelectorRequirement& requirement, const Labels& labels);

// Why upstream would refuse to parse the requirement, or nothing when it parses.
std::optional<std::string> ParseProblem(const NodeSelectorRequirement& requirement, bool is_field);
bool Parses(const NodeSelectorTerm& term);

}  // namespace berth::api
