// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/node_selector.h"
#include "base/bitset.h"
#include "base/recency_list.h"
#include "base/string_map.h"
#include "framework/indexed_cluster.h"
#include "framework/node_info.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::cluster {

// Answers "which nodes match this requirement" and "which value of this label has each node" from sets and columns that
// are made on the first question and kept true as nodes come, change and go.
class LabelIndex {
 public:
  void Resize(size_t slots);
  // Drops the requirements and columns longest unused while there are more than `max`. Call between cycles only: it
  // ends the life of references handed out.
  void Trim(size_t max);
  // How many requirements and columns are kept.
  size_t size() const { return number_of_.size() + topologies_.size(); }
  // `before` is what was known of the node, null for a new one.
  void SetNode(framework::NodeId id, const api::Node* before, const api::Node& node);
  void ClearNode(framework::NodeId id);

  // `nodes(f)` must call f(id, node) for every node; it is used when the question is new.
  template <typename EachNode>
  const Bitset& NodesMatching(const api::NodeSelectorRequirement& requirement, EachNode&& nodes) {
    auto [entry, is_new] = FindOrAdd(requirement);
    if (is_new && requirement.op == "In" && HasManyValues(requirement.key)) {
      // Many pods ask for one value each: answer all of them from the label's column instead of scanning the nodes.
      AddNodesWithValues(*entry, ColumnOf(requirement.key, nodes));
    } else if (is_new) {
      nodes([&, entry = entry](framework::NodeId id, const api::Node& node) { Judge(*entry, id, node); });
    }
    return entry->nodes;
  }
  template <typename EachNode>
  const framework::TopologyColumn& Topology(std::string_view key, EachNode&& nodes) {
    return ColumnOf(key, nodes).column;
  }

 private:
  using Number = RecencyList::Number;
  struct Entry {
    api::NodeSelectorRequirement requirement;
    bool parses = false;
    Bitset nodes;
    uint64_t last_used = 0;  // zero while the number is vacant
  };
  // The requirements on one label: those that a value of it decides, and the others.
  struct OfLabel {
    StringMap<std::vector<Number>> by_value;  // In
    std::vector<Number> others;
  };
  struct KeyColumn {
    framework::TopologyColumn column;
    StringMap<int32_t> domains;  // by value
    uint64_t last_used = 0;
  };
  template <typename EachNode>
  const KeyColumn& ColumnOf(std::string_view key, EachNode& nodes) {
    auto [topology, is_new] = FindOrAdd(key);
    if (is_new) nodes([to = topology](framework::NodeId id, const api::Node& node) { Place(*to, id, &node); });
    return *topology;
  }
  std::pair<Entry*, bool> FindOrAdd(const api::NodeSelectorRequirement& requirement);
  std::pair<KeyColumn*, bool> FindOrAdd(std::string_view key);
  Number Add(const api::NodeSelectorRequirement& requirement);
  static void Judge(Entry& entry, framework::NodeId id, const api::Node& node);
  static void AddNodesWithValues(Entry& entry, const KeyColumn& topology);
  // Whether so many values of the label are asked for that its column pays.
  bool HasManyValues(std::string_view label) const;
  void ValueChanged(const std::string& label, const std::string* before, framework::NodeId id, const api::Node& node);
  void Drop(Number number);
  static void Place(KeyColumn& topology, framework::NodeId id, const api::Node* node);
  static void ForgetDomain(KeyColumn& topology, int32_t domain);

  size_t slots_ = 0;
  // Requirements are numbered, so that copies of the index need no repair; a deque, so that references stay valid.
  std::deque<Entry> entries_;
  std::vector<Number> vacant_;
  RecencyList by_use_;           // of the requirements
  StringMap<Number> number_of_;  // by the requirement's text
  StringMap<OfLabel> of_label_;
  StringMap<KeyColumn> topologies_;
  uint64_t uses_ = 0;
  std::string scratch_;  // kept for its memory
};

}  // namespace berth::cluster
