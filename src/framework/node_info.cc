// SPDX-License-Identifier: Apache-2.0
#include "framework/node_info.h"

#include <algorithm>

namespace berth::framework {
namespace {

void CountClaims(const api::Pod& pod, int sign, StringMap<int>& claims) {
  for (const api::Volume& volume : pod.spec->volumes) {
    const auto* claim = std::get_if<api::ClaimVolume>(&volume.source);
    if (claim == nullptr) continue;
    const auto it = claims.try_emplace(pod.meta.namespace_ + "/" + claim->claim_name, 0).first;
    it->second += sign;
    if (it->second <= 0) claims.erase(it);
  }
}

}  // namespace

void NodeInfo::SetNode(api::NodePtr new_node, ResourceNames& names) {
  node = std::move(new_node);
  allocatable = ResourceAmounts::From(node->allocatable, names);
  const api::Quantity* pods_allowed = node->allocatable.Find(api::kResourcePods);
  allowed_pods = pods_allowed != nullptr ? pods_allowed->Value() : 0;
}

void NodeInfo::AddPod(const PodInfoPtr& pod) {
  pods.push_back(pod);
  const PodTraits& traits = *pod->traits;
  requested.Add(traits.requests);
  nonzero_cpu += traits.nonzero_cpu;
  nonzero_memory += traits.nonzero_memory;
  // A set, not a count: as upstream, two pods on one port hold it once, and the first to go frees it.
  for (const HostPort& port : traits.host_ports) {
    if (std::find(used_ports.begin(), used_ports.end(), port) == used_ports.end()) used_ports.push_back(port);
  }
  CountClaims(*pod->pod, +1, claims_in_use);
}

bool NodeInfo::RemovePod(std::string_view uid) {
  const auto it = std::find_if(pods.begin(), pods.end(), [&](const auto& pod) { return PodUid(*pod->pod) == uid; });
  if (it == pods.end()) return false;
  const PodInfoPtr removed = *it;
  *it = pods.back();
  pods.pop_back();
  const PodTraits& traits = *removed->traits;
  requested.Subtract(traits.requests);
  nonzero_cpu -= traits.nonzero_cpu;
  nonzero_memory -= traits.nonzero_memory;
  for (const HostPort& port : traits.host_ports) std::erase(used_ports, port);
  CountClaims(*removed->pod, -1, claims_in_use);
  return true;
}

std::string_view PodUid(const api::Pod& pod) { return pod.meta.uid; }

}  // namespace berth::framework
