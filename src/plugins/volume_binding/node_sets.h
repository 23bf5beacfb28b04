// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/node_selector.h"
#include "base/bitset.h"
#include "framework/cluster_view.h"
#include "plugins/volume_binding/asked_labels.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::plugins {

// Which nodes match a selector of the pod's volumes, answered from the cluster's label columns. Made for one pass over
// the cluster: thousands of local volumes, each on its own node, are looked up in an index of the key they share. One
// thread.
class NodeSets {
 public:
  // Both outlive this.
  NodeSets(const framework::ClusterView& cluster, const AskedLabels& labels) : cluster_(cluster), asked_(labels) {}

  // By labels alone: a volume's affinity does not know node names.
  Bitset Matching(const api::NodeSelector& selector);
  Bitset Matching(const api::Selector& selector);
  // The same as a list, when the selector asks for one value of one label, as that of a local volume does; nothing
  // otherwise.
  std::optional<std::span<const framework::NodeId>> ListMatching(const api::NodeSelector& selector);

 private:
  // The nodes of each value of a label.
  struct Label {
    const framework::TopologyColumn* column = nullptr;
    size_t questions = 0;
    bool is_indexed = false;
    std::unordered_map<std::string_view, size_t> domains;
    std::vector<size_t> first;  // by domain: where its nodes begin in `nodes`
    std::vector<framework::NodeId> nodes;
  };

  Bitset Matching(const api::NodeSelectorRequirement& requirement);
  Bitset WithValue(std::string_view key, std::span<const std::string> values);
  Label& LabelOf(std::string_view key);
  static std::span<const framework::NodeId> NodesOf(const Label& label, std::string_view value);
  static void Index(Label& label);

  const framework::ClusterView& cluster_;
  const AskedLabels& asked_;
  std::unordered_map<std::string_view, Label> labels_;  // by the key inside the column
};

}  // namespace berth::plugins
