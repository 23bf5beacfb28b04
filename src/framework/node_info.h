// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "base/string_map.h"
#include "framework/pod_info.h"
#include "framework/resource.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// A node by number: dense, stable while the node exists, reused afterwards.
using NodeId = uint32_t;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

// A node and the pods on it. A value: preemption, nominated pods and what-if questions copy it and change the copy,
// so a plugin judges the NodeInfo it is given and never looks the node up again.
struct NodeInfo {
  NodeId id = kNoNode;
  api::NodePtr node;
  ResourceAmounts allocatable;
  int64_t allowed_pods = 0;
  ResourceAmounts requested;
  int64_t nonzero_cpu = 0;
  int64_t nonzero_memory = 0;
  std::vector<PodInfoPtr> pods;
  std::vector<HostPort> used_ports;  // one entry per pod and port
  StringMap<int> claims_in_use;      // "namespace/claim" → pods using it

  const std::string& name() const { return node->meta.name; }
  void SetNode(api::NodePtr new_node, ResourceNames& names);
  void AddPod(const PodInfoPtr& pod);
  // Says whether the pod was there. The last pod takes the place of the removed one, as upstream.
  bool RemovePod(std::string_view uid);
};

// The pod's identity inside one cluster. Whoever loads pods without a uid gives them one ("namespace/name").
std::string_view PodUid(const api::Pod& pod);

}  // namespace berth::framework
