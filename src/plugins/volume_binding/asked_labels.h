// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/node_selector.h"
#include "base/bitset.h"
#include "framework/indexed_cluster.h"
#include "plugins/volume_binding/pod_claims.h"

#include <map>
#include <string_view>
#include <vector>

namespace berth::plugins {

// The requirement of a label selector as a node selector has it.
api::NodeSelectorRequirement AsNodeRequirement(const api::Selector::Requirement& requirement);

// What the cluster's indexes know of the labels that a pod's volumes ask nodes for. Collected in PreFilter, which may
// ask the indexes, and only read afterwards. Holds until the cluster next changes.
class AskedLabels {
 public:
  AskedLabels(const PodClaims& claims, framework::IndexedCluster& cluster);

  // Of a key that some volume asks for by value.
  const framework::TopologyColumn& ColumnOf(std::string_view key) const;
  // Nodes that meet what some volume asks for otherwise: any operator but In.
  const Bitset& NodesMatching(const api::NodeSelectorRequirement& requirement) const;

 private:
  struct Order {
    bool operator()(const api::NodeSelectorRequirement& a, const api::NodeSelectorRequirement& b) const;
  };

  void Collect(const VolumeChoices& choices, framework::IndexedCluster& cluster);
  void Collect(const api::NodeSelector& selector, framework::IndexedCluster& cluster);
  void Collect(const api::Selector& selector, framework::IndexedCluster& cluster);
  void CollectColumn(std::string_view key, framework::IndexedCluster& cluster);
  void CollectNodes(const api::NodeSelectorRequirement& requirement, framework::IndexedCluster& cluster);
  const framework::TopologyColumn* FindColumn(std::string_view key) const;

  std::vector<const framework::TopologyColumn*> columns_;  // few: a thousand local volumes share one key
  std::map<api::NodeSelectorRequirement, const Bitset*, Order> nodes_;
};

}  // namespace berth::plugins
