// SPDX-License-Identifier: Apache-2.0
#include "cluster/label_index.h"

namespace berth::cluster {

using framework::NodeId;
using framework::TopologyColumn;

void LabelIndex::Resize(size_t slots) {
  slots_ = slots;
  for (auto& [text, entry] : entries_) entry.nodes.Resize(slots);
  for (auto& [key, column] : topologies_) column.domain_of_node.resize(slots, TopologyColumn::kMissing);
}

void LabelIndex::SetNode(NodeId id, const api::Node& node) {
  for (auto& [text, entry] : entries_) Judge(entry, id, node);
  for (auto& [key, column] : topologies_) Place(column, id, &node);
}

void LabelIndex::ClearNode(NodeId id) {
  for (auto& [text, entry] : entries_) entry.nodes.Reset(id);
  for (auto& [key, column] : topologies_) Place(column, id, nullptr);
}

std::pair<LabelIndex::Entry*, bool> LabelIndex::FindOrAdd(const api::NodeSelectorRequirement& requirement) {
  std::string text = requirement.key;
  text += '\0';
  text += requirement.op;
  for (const std::string& value : requirement.values) {
    text += '\0';
    text += value;
  }
  const auto [it, is_new] = entries_.try_emplace(std::move(text), Entry{});
  if (is_new) it->second = {requirement, Bitset(slots_)};
  return {&it->second, is_new};
}

std::pair<TopologyColumn*, bool> LabelIndex::FindOrAdd(std::string_view key) {
  if (const auto it = topologies_.find(key); it != topologies_.end()) return {&it->second, false};
  TopologyColumn& column = topologies_[std::string(key)];
  column.key = key;
  column.domain_of_node.assign(slots_, TopologyColumn::kMissing);
  return {&column, true};
}

void LabelIndex::Judge(Entry& entry, NodeId id, const api::Node& node) {
  entry.nodes.Assign(id, api::Matches(entry.requirement, node.meta.labels));
}

void LabelIndex::Place(TopologyColumn& column, NodeId id, const api::Node* node) {
  int32_t domain = TopologyColumn::kMissing;
  if (const std::string* value = node != nullptr ? node->meta.labels.Find(column.key) : nullptr) {
    const auto [it, is_new] = domains_[column.key].try_emplace(*value, static_cast<int32_t>(column.values.size()));
    if (is_new) {
      column.values.push_back(*value);
      column.nodes_in_domain.push_back(0);
    }
    domain = it->second;
  }
  const int32_t before = column.domain_of_node[id];
  if (before == domain) return;
  if (before != TopologyColumn::kMissing) --column.nodes_in_domain[static_cast<size_t>(before)];
  if (domain != TopologyColumn::kMissing) ++column.nodes_in_domain[static_cast<size_t>(domain)];
  column.domain_of_node[id] = domain;
}

}  // namespace berth::cluster
