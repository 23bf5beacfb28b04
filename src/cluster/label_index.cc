// SPDX-License-Identifier: Apache-2.0
#include "cluster/label_index.h"

#include <algorithm>
#include <utility>

namespace berth::cluster {

using framework::NodeId;
using framework::TopologyColumn;

namespace {

void AssignText(const api::NodeSelectorRequirement& requirement, std::string& text) {
  text = requirement.key;
  text += '\0';
  text += requirement.op;
  for (const std::string& value : requirement.values) {
    text += '\0';
    text += value;
  }
}

}  // namespace

void LabelIndex::Resize(size_t slots) {
  slots_ = slots;
  for (Entry& entry : entries_) {
    if (entry.last_used != 0) entry.nodes.Resize(slots);
  }
  for (auto& [key, topology] : topologies_) {
    topology.column.domain_of_node.resize(slots, TopologyColumn::kMissing);
  }
}

void LabelIndex::SetNode(NodeId id, const api::Node* before, const api::Node& node) {
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
  for (auto& [key, topology] : topologies_) Place(topology, id, &node);
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
  for (Entry& entry : entries_) {
    if (entry.last_used != 0) entry.nodes.Reset(id);
  }
  for (auto& [key, topology] : topologies_) Place(topology, id, nullptr);
}

// One after the other instead of many at once: a cycle that asks a new question pays for one that is forgotten.
void LabelIndex::Trim(size_t max) {
  while (size() > max) {
    const auto column =
        std::ranges::min_element(topologies_, {}, [](const auto& topology) { return topology.second.last_used; });
    const bool has_requirement = !by_use_.empty();
    if (column != topologies_.end() &&
        (!has_requirement || column->second.last_used < entries_[by_use_.oldest()].last_used)) {
      topologies_.erase(column);
    } else {
      Drop(by_use_.oldest());
    }
  }
}

void LabelIndex::Drop(Number number) {
  const api::NodeSelectorRequirement& requirement = entries_[number].requirement;
  AssignText(requirement, scratch_);
  number_of_.erase(number_of_.find(scratch_));
  const auto of_label = of_label_.find(requirement.key);
  auto& [by_value, others] = of_label->second;
  if (requirement.op == "In") {
    for (const std::string& value : requirement.values) {
      const auto numbers = by_value.find(value);
      if (numbers == by_value.end()) continue;  // the value is listed twice
      std::erase(numbers->second, number);
      if (numbers->second.empty()) by_value.erase(numbers);
    }
  } else {
    std::erase(others, number);
  }
  if (by_value.empty() && others.empty()) of_label_.erase(of_label);
  entries_[number] = {};
  by_use_.Erase(number);
  vacant_.push_back(number);
}

std::pair<LabelIndex::Entry*, bool> LabelIndex::FindOrAdd(const api::NodeSelectorRequirement& requirement) {
  AssignText(requirement, scratch_);
  auto it = number_of_.find(scratch_);
  const bool is_new = it == number_of_.end();
  if (is_new) it = number_of_.emplace(scratch_, Add(requirement)).first;
  Entry& entry = entries_[it->second];
  entry.last_used = ++uses_;
  by_use_.Use(it->second);
  return {&entry, is_new};
}

LabelIndex::Number LabelIndex::Add(const api::NodeSelectorRequirement& requirement) {
  auto number = static_cast<Number>(entries_.size());
  if (vacant_.empty()) {
    entries_.emplace_back();
  } else {
    number = vacant_.back();
    vacant_.pop_back();
  }
  entries_[number] = {requirement, !api::ParseProblem(requirement, /*is_field=*/false), Bitset(slots_), 0};
  OfLabel& of_label = of_label_[requirement.key];
  if (requirement.op == "In") {
    for (const std::string& value : requirement.values) of_label.by_value[value].push_back(number);
  } else {
    of_label.others.push_back(number);
  }
  return number;
}

std::pair<LabelIndex::KeyColumn*, bool> LabelIndex::FindOrAdd(std::string_view key) {
  auto it = topologies_.find(key);
  const bool is_new = it == topologies_.end();
  if (is_new) {
    it = topologies_.try_emplace(std::string(key)).first;
    it->second.column.key = key;
    it->second.column.domain_of_node.assign(slots_, TopologyColumn::kMissing);
  }
  it->second.last_used = ++uses_;
  return {&it->second, is_new};
}

void LabelIndex::Judge(Entry& entry, NodeId id, const api::Node& node) {
  entry.nodes.Assign(id, entry.parses && api::Holds(entry.requirement, node.meta.labels));
}

bool LabelIndex::HasManyValues(std::string_view label) const {
  constexpr size_t kMany = 8;
  const auto of_label = of_label_.find(label);
  return of_label != of_label_.end() && of_label->second.by_value.size() > kMany;
}

void LabelIndex::AddNodesWithValues(Entry& entry, const KeyColumn& topology) {
  if (!entry.parses) return;
  for (const std::string& value : entry.requirement.values) {
    if (const auto it = topology.domains.find(value); it != topology.domains.end()) {
      topology.column.AddNodesOf(it->second, entry.nodes);
    }
  }
}

void LabelIndex::Place(KeyColumn& topology, NodeId id, const api::Node* node) {
  TopologyColumn& column = topology.column;
  const int32_t before = column.domain_of_node[id];
  const std::string* value = node != nullptr ? node->meta.labels.Find(column.key) : nullptr;
  if (value == nullptr) {
    column.domain_of_node[id] = TopologyColumn::kMissing;
  } else if (before == TopologyColumn::kMissing || column.values[static_cast<size_t>(before)] != *value) {
    const auto [it, is_new] = topology.domains.try_emplace(*value, static_cast<int32_t>(column.values.size()));
    if (is_new) {
      column.values.push_back(*value);
      column.nodes_in_domain.push_back(0);
    }
    ++column.nodes_in_domain[static_cast<size_t>(it->second)];
    column.domain_of_node[id] = it->second;
  } else {
    return;
  }
  if (before == TopologyColumn::kMissing) return;
  if (--column.nodes_in_domain[static_cast<size_t>(before)] == 0) ForgetDomain(topology, before);
}

// The last domain takes over the number, so that numbers stay dense.
void LabelIndex::ForgetDomain(KeyColumn& topology, int32_t domain) {
  TopologyColumn& column = topology.column;
  const auto place = static_cast<size_t>(domain);
  const size_t last = column.values.size() - 1;
  topology.domains.erase(column.values[place]);
  if (place != last) {
    topology.domains.find(column.values[last])->second = domain;
    column.values[place] = std::move(column.values[last]);
    column.nodes_in_domain[place] = column.nodes_in_domain[last];
    std::ranges::replace(column.domain_of_node, static_cast<int32_t>(last), domain);
  }
  column.values.pop_back();
  column.nodes_in_domain.pop_back();
}

}  // namespace berth::cluster
