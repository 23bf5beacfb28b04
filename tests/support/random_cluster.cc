// SPDX-License-Identifier: Apache-2.0
#include "support/random_cluster.h"

#include "conformance/random_node.h"
#include "conformance/random_pod.h"
#include "conformance/random_storage.h"
#include "conformance/random_workloads.h"
#include "support/random_parts.h"

#include <fmt/format.h>

namespace berth::test {

using cluster::Change;
using conformance::PodIdentity;
using conformance::RandomNamespace;
using conformance::RandomNode;
using conformance::RandomPendingPod;
using conformance::RandomRunningPod;
using conformance::RandomStorage;
using framework::PodInfoPtr;

namespace {

constexpr int32_t kFirstUniquePort = 10'000;

}  // namespace

RandomCluster::RandomCluster(uint64_t seed, const ClusterShape& shape, framework::ResourceNames& names)
    : shape_(shape), names_(names), dice_(seed) {
  // The last namespace is one that pods live in although nobody knows it.
  for (size_t i = 0; i + 1 < RandomNamespaces().size(); ++i) Keep(RandomNamespace(dice_, RandomNamespaces()[i]));
  for (size_t i = 0; i < shape_.nodes; ++i) {
    const std::string name = fmt::format("node-{:03}", i);
    nodes_[name] = RandomNode(dice_, shape_, name);
  }
  if (dice_.Chance(shape_.workloads)) {
    for (const api::Object& object : conformance::RandomOwners(dice_)) Keep(object);
  }
  if (dice_.Chance(shape_.volumes)) {
    for (const api::Object& object : RandomStorage(dice_, shape_)) Keep(object);
  }
  for (size_t i = 0; i < shape_.pods; ++i) {
    const std::string node = RandomNodeName(dice_, shape_.nodes);
    const std::string uid = fmt::format("uid-{:04}", i);
    pods_[uid] = {NewRunningPod(uid, node), node};
  }
}

PodInfoPtr RandomCluster::NewRunningPod(const std::string& uid, const std::string& node) {
  PodIdentity identity{fmt::format("pod-{:04}", made_pods_), uid, 0};
  if (shape_.unique_ports) identity.unique_port = kFirstUniquePort + 2 * static_cast<int32_t>(made_pods_);
  ++made_pods_;
  return framework::MakePodInfo(RandomRunningPod(dice_, shape_, identity, node), names_);
}

PodInfoPtr RandomCluster::PendingPod() {
  const PodIdentity identity{fmt::format("pending-{:04}", made_pods_), fmt::format("pending-{:04}", made_pods_), 0};
  ++made_pods_;
  return framework::MakePodInfo(RandomPendingPod(dice_, shape_, identity), names_);
}

std::string RandomCluster::AnyNode() {
  auto it = nodes_.begin();
  std::advance(it, dice_.Below(nodes_.size()));
  return it->first;
}

void RandomCluster::FillIn(cluster::ClusterState& state, uint64_t order) const {
  std::vector<What> all;
  for (const auto& [name, node] : nodes_) all.push_back(cluster::NodeSet{node});
  for (const auto& [uid, placed] : pods_) all.push_back(cluster::PodPlaced{placed.pod, placed.node});
  for (const auto& [key, object] : objects_) all.push_back(cluster::ObjectSet{object});
  if (order != 0) Dice(order).Shuffle(all);
  for (What& what : all) state.Apply({0, framework::kNoNode, std::move(what)});
}

Change RandomCluster::NextChange() {
  const size_t kind = dice_.Below(10);
  return {0, framework::kNoNode, kind < 3 ? ChangeNode() : kind < 9 ? ChangePod() : ChangeObject()};
}

Change RandomCluster::Remove(const std::string& node) {
  nodes_.erase(node);
  return {0, framework::kNoNode, cluster::NodeRemoved{node}};
}

RandomCluster::What RandomCluster::ChangeNode() {
  const std::string name = RandomNodeName(dice_, shape_.nodes);
  if (nodes_.contains(name) && dice_.Chance(0.4)) {
    nodes_.erase(name);
    return cluster::NodeRemoved{name};
  }
  nodes_[name] = RandomNode(dice_, shape_, name);
  return cluster::NodeSet{nodes_[name]};
}

RandomCluster::What RandomCluster::ChangePod() {
  // As many pods as the shape wants, give or take: new ones, moved ones, changed ones, removed ones.
  const std::string uid = fmt::format("uid-{:04}", dice_.Below(shape_.pods + shape_.pods / 2 + 1));
  const auto known = pods_.find(uid);
  if (known != pods_.end() && dice_.Chance(0.5)) {
    pods_.erase(known);
    return cluster::PodRemoved{uid};
  }
  const std::string node = RandomNodeName(dice_, shape_.nodes);
  if (known != pods_.end() && dice_.Chance(0.3)) {
    known->second.node = node;
    return cluster::PodPlaced{known->second.pod, node};
  }
  pods_[uid] = {NewRunningPod(uid, node), node};
  return cluster::PodPlaced{pods_[uid].pod, node};
}

RandomCluster::What RandomCluster::ChangeObject() {
  const std::string& ns = dice_.OneOf(RandomNamespaces());
  if (dice_.Chance(0.2)) {
    objects_.erase({std::string(api::KindOf<api::Namespace>()), ns});
    return cluster::ObjectRemoved{std::string(api::KindOf<api::Namespace>()), ns};
  }
  if (dice_.Chance(0.2)) return Keep(conformance::RandomOwner(dice_, "Service", ns, "owner-0"));
  return Keep(RandomNamespace(dice_, ns));
}

RandomCluster::What RandomCluster::Keep(const api::Object& object) {
  objects_.insert_or_assign({std::string(api::KindOf(object)), api::MetaOf(object).Key()}, object);
  return cluster::ObjectSet{object};
}

}  // namespace berth::test
