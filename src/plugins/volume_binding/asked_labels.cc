// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/asked_labels.h"

#include "base/check.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace berth::plugins {

using framework::IndexedCluster;
using framework::TopologyColumn;

namespace {

std::string_view NameOf(api::Selector::Op op) {
  switch (op) {
    case api::Selector::Op::In: return "In";
    case api::Selector::Op::NotIn: return "NotIn";
    case api::Selector::Op::Exists: return "Exists";
    case api::Selector::Op::DoesNotExist: return "DoesNotExist";
  }
  return "";
}

}  // namespace

api::NodeSelectorRequirement AsNodeRequirement(const api::Selector::Requirement& requirement) {
  return {requirement.key, std::string(NameOf(requirement.op)), requirement.values};
}

AskedLabels::AskedLabels(const PodClaims& claims, IndexedCluster& cluster) {
  for (const BoundVolume& bound : claims.bound) {
    if (bound.volume == nullptr) continue;
    if (bound.volume->node_affinity) Collect(*bound.volume->node_affinity, cluster);
    if (bound.translated_affinity) Collect(*bound.translated_affinity, cluster);
  }
  // A claim that has its node leaves no other to look at.
  if (!claims.pinned.empty()) return;
  for (const VolumeChoices& choices : claims.waiting) Collect(choices, cluster);
}

const TopologyColumn& AskedLabels::ColumnOf(std::string_view key) const {
  const TopologyColumn* column = FindColumn(key);
  BERTH_CHECK(column != nullptr);
  return *column;
}

const Bitset& AskedLabels::NodesMatching(const api::NodeSelectorRequirement& requirement) const {
  const auto it = nodes_.find(requirement);
  BERTH_CHECK(it != nodes_.end());
  return *it->second;
}

bool AskedLabels::Order::operator()(const api::NodeSelectorRequirement& a,
                                    const api::NodeSelectorRequirement& b) const {
  return std::tie(a.key, a.op, a.values) < std::tie(b.key, b.op, b.values);
}

void AskedLabels::Collect(const VolumeChoices& choices, IndexedCluster& cluster) {
  for (const std::vector<VolumePtr>* volumes : {&choices.reserved, &choices.open}) {
    for (const VolumePtr& volume : *volumes) {
      if (volume->node_affinity) Collect(*volume->node_affinity, cluster);
    }
  }
  if (choices.allowed_topologies) Collect(*choices.allowed_topologies, cluster);
  for (const StorageRoom& room : choices.rooms) Collect(room.where, cluster);
}

void AskedLabels::Collect(const api::NodeSelector& selector, IndexedCluster& cluster) {
  for (const api::NodeSelectorTerm& term : selector.terms) {
    for (const api::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.op == "In") {
        CollectColumn(requirement.key, cluster);
      } else if (api::Parses(term)) {  // other terms match nowhere, and nobody asks
        CollectNodes(requirement, cluster);
      }
    }
  }
}

void AskedLabels::Collect(const api::Selector& selector, IndexedCluster& cluster) {
  for (const api::Selector::Requirement& requirement : selector.requirements()) {
    if (requirement.op == api::Selector::Op::In) {
      CollectColumn(requirement.key, cluster);
    } else {
      CollectNodes(AsNodeRequirement(requirement), cluster);
    }
  }
}

void AskedLabels::CollectColumn(std::string_view key, IndexedCluster& cluster) {
  if (FindColumn(key) == nullptr) columns_.push_back(&cluster.topology(key));
}

void AskedLabels::CollectNodes(const api::NodeSelectorRequirement& requirement, IndexedCluster& cluster) {
  nodes_.try_emplace(requirement, &cluster.NodesMatching(requirement));
}

const TopologyColumn* AskedLabels::FindColumn(std::string_view key) const {
  const auto it = std::ranges::find(columns_, key, &TopologyColumn::key);
  return it == columns_.end() ? nullptr : *it;
}

}  // namespace berth::plugins
