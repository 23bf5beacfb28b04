// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/node_selector.h"
#include "base/bitset.h"
#include "base/string_map.h"
#include "framework/cluster_view.h"
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
  // `before` is what was known of the node, null for a new one.
  void SetNode(framework::NodeId id, const api::Node* before, const api::Node& node);
  void ClearNode(framework::NodeId id);

  // `nodes(f)` must call f(id, node) for every node; it is used when the question is new.
  template <typename EachNode>
  const Bitset& NodesMatching(const api::NodeSelectorRequirement& requirement, EachNode&& nodes) {
    auto [entry, is_new] = FindOrAdd(requirement);
    if (is_new) nodes([&, entry = entry](framework::NodeId id, const api::Node& node) { Judge(*entry, id, node); });
    return entry->nodes;
  }
  template <typename EachNode>
  const framework::TopologyColumn& Topology(std::string_view key, EachNode&& nodes) {
    auto [column, is_new] = FindOrAdd(key);
    if (is_new) nodes([&, column = column](framework::NodeId id, const api::Node& node) { Place(*column, id, &node); });
    return *column;
  }

 private:
  struct Entry {
    api::NodeSelectorRequirement requirement;
    bool parses = false;
    Bitset nodes;
  };
  // The requirements on one label: those that a value of it decides, and the others.
  struct OfLabel {
    StringMap<std::vector<uint32_t>> by_value;  // In
    std::vector<uint32_t> others;
  };
  std::pair<Entry*, bool> FindOrAdd(const api::NodeSelectorRequirement& requirement);
  std::pair<framework::TopologyColumn*, bool> FindOrAdd(std::string_view key);
  static void Judge(Entry& entry, framework::NodeId id, const api::Node& node);
  void ValueChanged(const std::string& label, const std::string* before, framework::NodeId id, const api::Node& node);
  void ForgetIfMany();
  void Place(framework::TopologyColumn& column, framework::NodeId id, const api::Node* node);

  size_t slots_ = 0;
  // Requirements are numbered, so that copies of the index need no repair; a deque, so that references stay valid.
  std::deque<Entry> entries_;
  StringMap<uint32_t> number_of_;  // by the requirement's text
  StringMap<OfLabel> of_label_;
  StringMap<framework::TopologyColumn> topologies_;
  StringMap<StringMap<int32_t>> domains_;  // topology key → value → domain
  std::string scratch_;                    // kept for its memory
};

}  // namespace berth::cluster
