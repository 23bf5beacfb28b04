// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/node_sets.h"

#include <algorithm>
#include <utility>

namespace berth::plugins {
namespace {

using namespace framework;

bool HasLabels(const api::Node& node, const api::Labels& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& label) {
    const std::string* value = node.meta.labels.Find(label.first);
    return value != nullptr && *value == label.second;
  });
}

void KeepMatchingField(const api::NodeSelectorRequirement& requirement, const ClusterView& cluster, Bitset& nodes) {
  const bool is_in = requirement.op == "In";
  const std::string& value = requirement.values.front();
  if (requirement.key != "metadata.name") {
    // A field that nodes do not offer reads as empty.
    if (value.empty() != is_in) nodes.ResetAll();
    return;
  }
  const NodeId named = cluster.FindNode(value);
  const bool was_in = named != kNoNode && nodes.Test(named);
  if (is_in) {
    nodes.ResetAll();
    if (was_in) nodes.Set(named);
  } else if (was_in) {
    nodes.Reset(named);
  }
}

void KeepNodesWithLabels(const api::Labels& wanted, IndexedCluster& cluster, Bitset& nodes) {
  for (const auto& [key, value] : wanted) {
    const api::NodeSelectorRequirement requirement{key, "In", {value}};
    if (!api::ParseProblem(requirement, /*is_field=*/false)) {
      nodes.And(cluster.NodesMatching(requirement));
      continue;
    }
    // A node selector is compared as it stands, even where label syntax forbids its text.
    const Bitset candidates = nodes;
    const api::Labels label = {{key, value}};
    candidates.ForEach([&](size_t id) {
      if (!HasLabels(*cluster.node(static_cast<NodeId>(id)).node, label)) nodes.Reset(id);
    });
  }
}

}  // namespace

bool Matches(const api::NodeSelectorTerm& term, const api::Node& node) {
  return api::Matches(term, node.meta.labels, node.meta.name);
}

bool Matches(const api::NodeSelector& selector, const api::Node& node) {
  return api::Matches(selector, node.meta.labels, node.meta.name);
}

bool MeetsNodeSelector(const api::PodSpec& spec, const api::Node& node) { return HasLabels(node, spec.node_selector); }

bool MeetsRequirements(const api::PodSpec& spec, const api::Node& node) {
  if (!MeetsNodeSelector(spec, node)) return false;
  const api::NodeSelector* affinity = RequiredAffinity(spec);
  return affinity == nullptr || Matches(*affinity, node);
}

void KeepMatching(const api::NodeSelectorTerm& term, IndexedCluster& cluster, Bitset& nodes) {
  if (term.empty() || !api::Parses(term)) {
    nodes.ResetAll();
    return;
  }
  for (const auto& requirement : term.match_expressions) nodes.And(cluster.NodesMatching(requirement));
  for (const auto& requirement : term.match_fields) KeepMatchingField(requirement, cluster, nodes);
}

void KeepMatching(const api::NodeSelector& selector, IndexedCluster& cluster, Bitset& nodes) {
  // One term is what most pods have, and it needs no second set.
  if (selector.terms.size() == 1) {
    KeepMatching(selector.terms.front(), cluster, nodes);
    return;
  }
  Bitset any(nodes.size());
  for (const api::NodeSelectorTerm& term : selector.terms) {
    Bitset some = nodes;
    KeepMatching(term, cluster, some);
    any.Or(some);
  }
  nodes = std::move(any);
}

void KeepMeetingRequirements(const api::PodSpec& spec, IndexedCluster& cluster, Bitset& nodes) {
  KeepNodesWithLabels(spec.node_selector, cluster, nodes);
  if (const api::NodeSelector* affinity = RequiredAffinity(spec)) KeepMatching(*affinity, cluster, nodes);
}

const api::NodeSelector* RequiredAffinity(const api::PodSpec& spec) {
  if (spec.affinity == nullptr || !spec.affinity->node || !spec.affinity->node->required) return nullptr;
  return &*spec.affinity->node->required;
}

}  // namespace berth::plugins
