// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace berth::framework {

// What a verdict or score for (pod, node) can change with, besides the pod itself. It tells how far a change reaches:
// a result that depends on its own node only survives every change elsewhere.
enum class Dependence : uint8_t {
  Nothing = 0,         // the pod alone
  NodeStatics = 1,     // labels, taints, images, features, allocatable of that node
  NodeResources = 2,   // also what the pods on that node take
  NodePods = 3,        // also which pods these are
  TopologyDomain = 4,  // also the pods in the node's topology domains
  Cluster = 5,         // anything
};

}  // namespace berth::framework
