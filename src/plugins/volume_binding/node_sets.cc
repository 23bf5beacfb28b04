// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/node_sets.h"

#include <algorithm>

namespace berth::plugins {
namespace {

using framework::NodeId;
using framework::TopologyColumn;

// A look through the whole column is quicker than an index for this many values.
constexpr size_t kFewQuestions = 3;

}  // namespace

Bitset NodeSets::Matching(const api::NodeSelector& selector) {
  Bitset matching(cluster_.node_slots());
  for (const api::NodeSelectorTerm& term : selector.terms) {
    if (term.empty() || !api::Parses(term)) continue;
    // Without a name to look at, fields match everywhere or nowhere.
    if (!term.match_fields.empty() && !api::Matches(api::NodeSelectorTerm{{}, term.match_fields}, {}, "")) continue;
    std::optional<Bitset> nodes;
    for (const api::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (nodes.has_value()) {
        nodes->And(Matching(requirement));
      } else {
        nodes = Matching(requirement);
      }
    }
    matching.Or(nodes.has_value() ? *nodes : cluster_.live_nodes());
  }
  return matching;
}

Bitset NodeSets::Matching(const api::Selector& selector) {
  if (selector.selects_nothing()) return Bitset(cluster_.node_slots());
  Bitset matching = cluster_.live_nodes();
  for (const api::Selector::Requirement& requirement : selector.requirements()) {
    matching.And(requirement.op == api::Selector::Op::In ? WithValue(requirement.key, requirement.values)
                                                         : asked_.NodesMatching(AsNodeRequirement(requirement)));
  }
  return matching;
}

Bitset NodeSets::Matching(const api::NodeSelectorRequirement& requirement) {
  // The cluster keeps what it is asked by NodesMatching for good, so the many sets of single values are made here.
  return requirement.op == "In" ? WithValue(requirement.key, requirement.values) : asked_.NodesMatching(requirement);
}

std::optional<std::span<const NodeId>> NodeSets::ListMatching(const api::NodeSelector& selector) {
  if (selector.terms.size() != 1 || selector.terms[0].match_expressions.size() != 1) return std::nullopt;
  const api::NodeSelectorTerm& term = selector.terms[0];
  const api::NodeSelectorRequirement& requirement = term.match_expressions[0];
  if (!term.match_fields.empty() || requirement.op != "In" || requirement.values.size() != 1) return std::nullopt;
  if (!api::Parses(term)) return std::span<const NodeId>();
  Label& label = LabelOf(requirement.key);
  if (!label.is_indexed) Index(label);
  return NodesOf(label, requirement.values[0]);
}

Bitset NodeSets::WithValue(std::string_view key, std::span<const std::string> values) {
  Label& label = LabelOf(key);
  label.questions += values.size();
  if (label.questions > kFewQuestions && !label.is_indexed) Index(label);

  Bitset nodes(cluster_.node_slots());
  const std::vector<std::string>& domains = label.column->values;
  for (const std::string& value : values) {
    if (label.is_indexed) {
      for (const NodeId node : NodesOf(label, value)) nodes.Set(node);
    } else if (const auto domain = std::find(domains.begin(), domains.end(), value); domain != domains.end()) {
      label.column->AddNodesOf(static_cast<int32_t>(domain - domains.begin()), nodes);
    }
  }
  return nodes;
}

NodeSets::Label& NodeSets::LabelOf(std::string_view key) {
  const auto it = labels_.find(key);
  if (it != labels_.end()) return it->second;
  const TopologyColumn& column = asked_.ColumnOf(key);
  Label& label = labels_[column.key];
  label.column = &column;
  return label;
}

std::span<const NodeId> NodeSets::NodesOf(const Label& label, std::string_view value) {
  const auto domain = label.domains.find(value);
  if (domain == label.domains.end()) return {};
  const size_t first = label.first[domain->second];
  return std::span(label.nodes).subspan(first, label.first[domain->second + 1] - first);
}

void NodeSets::Index(Label& label) {
  const TopologyColumn& column = *label.column;
  label.is_indexed = true;
  label.domains.reserve(column.domain_count());
  for (size_t domain = 0; domain < column.domain_count(); ++domain)
    label.domains.emplace(column.values[domain], domain);
  // Counting sort: first[d + 1] counts the nodes of d, then sums up to where the next domain begins.
  label.first.assign(column.domain_count() + 1, 0);
  for (const int32_t domain : column.domain_of_node) {
    if (domain >= 0) ++label.first[static_cast<size_t>(domain) + 1];
  }
  for (size_t domain = 1; domain < label.first.size(); ++domain) label.first[domain] += label.first[domain - 1];
  label.nodes.resize(label.first.back());
  std::vector<size_t> next = label.first;
  for (size_t node = 0; node < column.domain_of_node.size(); ++node) {
    const int32_t domain = column.domain_of_node[node];
    if (domain >= 0) label.nodes[next[static_cast<size_t>(domain)]++] = static_cast<NodeId>(node);
  }
}

}  // namespace berth::plugins
