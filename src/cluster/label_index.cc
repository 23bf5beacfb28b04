// SPDX-License-Identifier: Apache-2.0
#include "cluster/label_index.h"

namespace berth::cluster {

using framework::NodeId;
using framework::TopologyColumn;

namespace {

// Past so many distinct requirements most belong to pods long gone: all are forgotten, and those in use asked anew.
constexpr size_t kManyRequirements = 32'768;

}  // namespace

void LabelIndex::Resize(size_t slots) {
  slots_ = slots;
  for (Entry& entry : entries_) entry.nodes.Resize(slots);
  for (auto& [key, column] : topologies_) column.domain_of_node.resize(slots, TopologyColumn::kMissing);
}

void LabelIndex::SetNode(NodeId id, const api::Node* before, const api::Node& node) {
  ForgetIfMany();
  if (before == nullptr) {
    // A label that is missing decides, too: everything that is not about a single value is judged.
    for (const auto& [label, of_label] : of_label_) {
      for (const uint32_t number : of_label.others) Judge(entries_[number], id, node);
    }
  } else {
    for (const auto& [label, value] : before->meta.labels) {
      const std::string* now = node.meta.labels.Find(label);
      if (now == nullptr || *now != value) ValueChanged(label, &value, id, node);
    }
  }
  for (const auto& [label, value] : node.meta.labels) {
    if (before == nullptr || before->meta.labels.Find(label) == nullptr) ValueChanged(label, nullptr, id, node);
  }
  for (auto& [key, column] : topologies_) Place(column, id, &node);
}

// Judges the requirements on the label that can see the difference between the old value and the new one.
void LabelIndex::ValueChanged(const std::string& label, const std::string* before, NodeId id, const api::Node& node) {
  const auto of_label = of_label_.find(label);
  if (of_label == of_label_.end()) return;
  for (const std::string* value : {before, node.meta.labels.Find(label)}) {
    if (value == nullptr) continue;
    const auto entries = of_label->second.by_value.find(*value);
    if (entries == of_label->second.by_value.end()) continue;
    for (const uint32_t number : entries->second) Judge(entries_[number], id, node);
  }
  for (const uint32_t number : of_label->second.others) Judge(entries_[number], id, node);
}

void LabelIndex::ClearNode(NodeId id) {
  for (Entry& entry : entries_) entry.nodes.Reset(id);
  for (auto& [key, column] : topologies_) Place(column, id, nullptr);
}

void LabelIndex::ForgetIfMany() {
  if (entries_.size() < kManyRequirements) return;
  entries_.clear();
  number_of_.clear();
  of_label_.clear();
}

std::pair<LabelIndex::Entry*, bool> LabelIndex::FindOrAdd(const api::NodeSelectorRequirement& requirement) {
  std::string& text = scratch_;
  text = requirement.key;
  text += '\0';
  text += requirement.op;
  for (const std::string& value : requirement.values) {
    text += '\0';
    text += value;
  }
  const auto number = static_cast<uint32_t>(entries_.size());
  auto it = number_of_.find(text);
  const bool is_new = it == number_of_.end();
  if (is_new) {
    it = number_of_.emplace(text, number).first;
    entries_.push_back({requirement, !api::ParseProblem(requirement, /*is_field=*/false), Bitset(slots_)});
    OfLabel& of_label = of_label_[requirement.key];
    if (requirement.op == "In") {
      for (const std::string& value : requirement.values) of_label.by_value[value].push_back(number);
    } else {
      of_label.others.push_back(number);
    }
  }
  return {&entries_[it->second], is_new};
}

std::pair<TopologyColumn*, bool> LabelIndex::FindOrAdd(std::string_view key) {
  if (const auto it = topologies_.find(key); it != topologies_.end()) return {&it->second, false};
  TopologyColumn& column = topologies_[std::string(key)];
  column.key = key;
  column.domain_of_node.assign(slots_, TopologyColumn::kMissing);
  return {&column, true};
}

void LabelIndex::Judge(Entry& entry, NodeId id, const api::Node& node) {
  entry.nodes.Assign(id, entry.parses && api::Holds(entry.requirement, node.meta.labels));
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
