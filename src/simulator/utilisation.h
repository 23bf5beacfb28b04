// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/resource.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::simulator {

// How much of one resource is requested, and how much is allocatable.
struct ResourceUse {
  std::string resource;  // "pods" counts pods
  int64_t allocatable = 0;
  int64_t before = 0;  // requested before the run
  int64_t after = 0;   // requested after it
};

struct NodeUse {
  std::string node;
  std::vector<ResourceUse> resources;
};

struct Utilisation {
  std::vector<ResourceUse> total;
  std::vector<NodeUse> nodes;  // sorted by name
};

// Both views must be of the same cluster, with the same nodes. Resources that are neither allocatable nor requested are
// left out.
Utilisation CompareUse(const framework::ClusterView& before, const framework::ClusterView& after,
                       const framework::ResourceNames& names);

}  // namespace berth::simulator
