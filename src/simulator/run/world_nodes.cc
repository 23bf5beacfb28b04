// SPDX-License-Identifier: Apache-2.0
// How nodes of a simulated cluster come and go.
#include "api/object.h"
#include "simulator/map_in.h"
#include "simulator/run/world.h"
#include "simulator/scenario/templates.h"

#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;

namespace {

store::Key NodeKey(const std::string& name) { return {"Node", "", name}; }

Error NoNode(const std::string& name) { return NotFoundError(fmt::format("there is no Node {}", name)); }

void Drop(Value& map, std::string_view key) {
  if (map.is_map())
    std::erase_if(map.mutable_members(), [&](const Value::Member& member) { return member.key == key; });
}

// The node as it would register again: another object of the same name.
Value Reborn(Value document) {
  Value& metadata = MapIn(document, "metadata");
  for (const char* key : {"uid", "creationTimestamp", "resourceVersion"}) Drop(metadata, key);
  Drop(MapIn(document, "spec"), "unschedulable");
  return document;
}

}  // namespace

World::Node World::Learn(const Value& document) const {
  api::DecodeErrors errors;
  const auto decoded = api::Decode<api::Node>(document, errors);
  Node node;
  node.size.allocatable = framework::ResourceAmounts::From(decoded.allocatable, names_);
  framework::NodeInfo info;
  info.SetNode(std::make_shared<const api::Node>(decoded), names_);
  node.size.pods = info.allowed_pods;
  node.cordoned = decoded.unschedulable;
  return node;
}

void World::AddNodeOf(uint32_t group) {
  const uint64_t ordinal = ++nodes_made_[group];
  AddNode(NodeDocument(scenario_.nodes[group], ordinal), group, ordinal);
}

void World::AddNode(Value document, uint32_t group, uint64_t ordinal) {
  const Result<Value> created = writer_.Create(std::move(document));
  if (!created) return Complain(created.error());
  const std::string name = KeyOf(*created).name;
  Node node = Learn(*created);
  node.group = group;
  node.ordinal = ordinal;
  statistics_.NodeIsThere(node.size);
  statistics_.Note(NodeEvent::What::Joined, name, 0);
  if (group != kNoGroup) groups_[group].emplace(ordinal, name);
  nodes_.insert_or_assign(name, std::move(node));
}

void World::ReplaceNode(const Value& document) {
  const Result<Value> written = writer_.Apply(document);
  if (!written) return Complain(written.error());
  Node& node = nodes_.find(KeyOf(*written).name)->second;
  Node changed = Learn(*written);
  statistics_.NodeIsGone(node.size);
  statistics_.NodeIsThere(changed.size);
  node.size = std::move(changed.size);
  node.cordoned = changed.cordoned;
}

void World::Leave(const std::string& name, NodeExit exit, Duration pods_gone_after, std::optional<Duration> back) {
  const auto it = nodes_.find(name);
  if (it == nodes_.end()) return Complain(NoNode(name));
  const Node node = it->second;
  const std::vector<SimulatedPod*> pods = pods_.On(name);
  if (exit == NodeExit::Drain) {
    SetCordon(name, true);
    statistics_.Note(NodeEvent::What::Drained, name, pods.size());
    for (SimulatedPod* pod : pods) EndPod(*pod, PodFate::Evicted);
    if (back) After(*back, NodeReturns{name, {}, kNoGroup, 0});
    return;
  }
  const Result<Value> document = writer_.Read(NodeKey(name));
  if (const Result<void> deleted = writer_.Delete(NodeKey(name)); !deleted) return Complain(deleted.error());
  if (back && document) After(*back, NodeReturns{name, Reborn(*document), node.group, node.ordinal});
  statistics_.NodeIsGone(node.size);
  const bool killed = exit == NodeExit::Kill;
  statistics_.Note(killed ? NodeEvent::What::Died : NodeEvent::What::Left, name, pods.size());
  if (node.group != kNoGroup) groups_[node.group].erase(node.ordinal);
  nodes_.erase(it);
  for (SimulatedPod* pod : pods) {
    if (killed && pods_gone_after > Duration::zero()) {
      Strand(*pod, pods_gone_after);
    } else {
      EndPod(*pod, PodFate::Lost);
    }
  }
}

void World::SetCordon(const std::string& name, bool on) {
  const auto it = nodes_.find(name);
  if (it == nodes_.end()) return Complain(NoNode(name));
  if (std::exchange(it->second.cordoned, on) == on) return;
  Result<Value> document = writer_.Read(NodeKey(name));
  if (!document) return Complain(document.error());
  Value& spec = MapIn(*document, "spec");
  if (on) {
    spec.Set("unschedulable", Value::Bool(true));
  } else {
    Drop(spec, "unschedulable");
  }
  if (const Result<Value> written = writer_.Apply(*std::move(document)); !written) Complain(written.error());
}

void World::Return(const NodeReturns& returns) {
  if (!returns.document.is_null()) return AddNode(returns.document, returns.group, returns.ordinal);
  if (!HasNode(returns.node)) return;  // it has gone altogether meanwhile
  SetCordon(returns.node, false);
  statistics_.Note(NodeEvent::What::Uncordoned, returns.node, 0);
}

std::vector<std::string> World::NodesOf(uint32_t group, std::optional<bool> cordoned) const {
  std::vector<std::string> names;
  for (const auto& [ordinal, name] : groups_[group]) {
    if (!cordoned || nodes_.find(name)->second.cordoned == *cordoned) names.push_back(name);
  }
  return names;
}

}  // namespace berth::simulator
