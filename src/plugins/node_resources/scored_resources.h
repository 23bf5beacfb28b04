// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/resource.h"
#include "plugins/node_resources/kernels.h"
#include "plugins/node_resources/resource_args.h"

#include <cstdint>
#include <span>
#include <vector>

namespace berth::plugins::node_resources {

// One resource on one node, as scoring sees it. Allocatable 0 means that it does not count there.
struct ResourceShare {
  int64_t allocatable = 0;
  int64_t taken = 0;      // by the pods that are there
  int64_t requested = 0;  // with the incoming pod
};

// Profiles score by a handful of resources: so many are worked on without asking for memory.
inline constexpr size_t kFewResources = 8;

// The resources a profile scores by, and how a pod and a node look through them. Immutable.
class ScoredResources {
 public:
  // With `real_requests` pods count with what they request; otherwise containers without cpu or memory requests count
  // with the defaults, and pod-level requests of the incoming pod are left out, as upstream's Fit does.
  ScoredResources(const std::vector<ResourceWeight>& resources, bool real_requests, framework::ResourceNames& names);

  size_t size() const { return resources_.size(); }
  int64_t weight(size_t i) const { return resources_[i].weight; }

  // Fills in what the incoming pod adds, per resource.
  void FindRequests(const framework::PodInfo& pod, std::vector<int64_t>& requests) const;
  // One node; `shares` has size() entries.
  void SharesOf(const framework::NodeInfo& node, std::span<const int64_t> requests,
                std::span<ResourceShare> shares) const;
  // All nodes; resources that cannot count for this pod are left out. `columns` has room for size() of them; returns
  // those it got.
  std::span<ScoredColumn> ColumnsOf(const framework::ClusterView& cluster, std::span<const int64_t> requests,
                                    std::span<ScoredColumn> columns) const;

 private:
  struct Resource {
    framework::ResourceId id;
    std::string name;
    int64_t weight;
    bool scalar;
  };
  std::vector<Resource> resources_;
  bool real_requests_;
};

}  // namespace berth::plugins::node_resources
