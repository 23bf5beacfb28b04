// SPDX-License-Identifier: Apache-2.0
#include "queue/nominated_pods.h"

#include "framework/node_info.h"

#include <algorithm>

namespace berth::queue {

using framework::PodInfoPtr;
using framework::PodUid;

void NominatedPods::Add(PodInfoPtr pod, std::string_view node_name) {
  Remove(PodUid(*pod->pod));
  ++revision_;
  node_of_pod_.emplace(PodUid(*pod->pod), node_name);
  pods_by_node_[std::string(node_name)].push_back(std::move(pod));
}

void NominatedPods::Remove(std::string_view pod_uid) {
  const auto node = node_of_pod_.find(pod_uid);
  if (node == node_of_pod_.end()) return;
  ++revision_;
  const auto pods = pods_by_node_.find(node->second);
  std::erase_if(pods->second, [&](const PodInfoPtr& pod) { return PodUid(*pod->pod) == pod_uid; });
  if (pods->second.empty()) pods_by_node_.erase(pods);
  node_of_pod_.erase(node);
}

std::string_view NominatedPods::NodeOf(std::string_view pod_uid) const {
  const auto node = node_of_pod_.find(pod_uid);
  if (node == node_of_pod_.end()) return {};
  return node->second;
}

std::span<const PodInfoPtr> NominatedPods::PodsFor(std::string_view node_name) const {
  const auto it = pods_by_node_.find(node_name);
  if (it == pods_by_node_.end()) return {};
  return it->second;
}

std::vector<std::string> NominatedPods::NodesWithNominations() const {
  std::vector<std::string> nodes;
  for (const auto& [node, pods] : pods_by_node_) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace berth::queue
