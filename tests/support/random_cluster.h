// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "cluster/cluster_state.h"
#include "cluster/journal.h"
#include "framework/pod_info.h"
#include "support/cluster_shape.h"
#include "support/dice.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::test {

// A cluster drawn by chance, and its changes: equal seeds and shapes give equal clusters. It keeps what the cluster
// should hold after all changes so far, so that a state kept up to date can be compared with one made afresh.
class RandomCluster {
 public:
  // The names outlive the cluster.
  RandomCluster(uint64_t seed, const ClusterShape& shape, framework::ResourceNames& names);

  // Puts the cluster's content into an empty state, in an order that depends on `order`.
  void FillIn(cluster::ClusterState& state, uint64_t order = 0) const;
  // A pod that is not part of the cluster.
  framework::PodInfoPtr PendingPod();
  // Draws a change, remembers it, and returns it for a state to apply.
  cluster::Change NextChange();
  // The change that takes the pod off the cluster, or puts it on a node.
  cluster::Change Remove(const std::string& node);

  size_t node_count() const { return nodes_.size(); }
  size_t pod_count() const { return pods_.size(); }
  // A node that exists; there must be one.
  std::string AnyNode();

 private:
  struct Placed {
    framework::PodInfoPtr pod;
    std::string node;
  };
  using What = decltype(cluster::Change::what);

  framework::PodInfoPtr NewRunningPod(const std::string& uid, const std::string& node);
  What ChangeNode();
  What ChangePod();
  What ChangeObject();
  What Keep(const api::Object& object);

  ClusterShape shape_;
  framework::ResourceNames& names_;
  Dice dice_;
  size_t made_pods_ = 0;
  std::map<std::string, api::NodePtr> nodes_;
  std::map<std::string, Placed> pods_;                                  // by uid
  std::map<std::pair<std::string, std::string>, api::Object> objects_;  // by kind and key
};

}  // namespace berth::test
