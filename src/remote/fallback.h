// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/handle.h"
#include "framework/indexed_cluster.h"
#include "framework/plugin.h"
#include "remote/remote_cycle.h"

#include <optional>

namespace berth::remote {

// The plugin that answers when the remote one does not. It has a state of its own in every cycle in which it is asked,
// and its PreFilter runs when it is first needed there. Engine thread only.
class Fallback {
 public:
  Fallback(framework::PluginInstance instance, framework::Handle& handle)
      : instance_(std::move(instance)), handle_(handle) {}

  const framework::PluginInstance& instance() const { return instance_; }
  // Every cycle's PreFilter tells it.
  void SetCluster(framework::IndexedCluster& cluster) { cluster_ = &cluster; }

  // What it remembers of the cycle.
  FallbackState& StateOf(const RemoteCycle& cycle) const;
  // The same with PreFilter's part, from the cluster as it is.
  FallbackState& Prepared(const RemoteCycle& cycle, const framework::PodInfo& pod) const;
  framework::PreFilterResult PreFilter(const RemoteCycle& cycle, const framework::PodInfo& pod) const;
  framework::Status Filter(const RemoteCycle& cycle, const framework::PodInfo& pod,
                           const framework::NodeInfo& node) const;
  framework::Status FilterAll(const RemoteCycle& cycle, const framework::PodInfo& pod,
                              const framework::ClusterView& cluster, framework::Verdicts& verdicts) const;
  framework::Status PreScore(const RemoteCycle& cycle, const framework::PodInfo& pod,
                             std::span<const framework::NodeId> feasible) const;
  framework::Status ScoreAll(const RemoteCycle& cycle, const framework::PodInfo& pod,
                             const framework::ClusterView& cluster, framework::ScoreColumn& scores) const;

 private:
  // What was added to this copy of the node and removed from it, told the state.
  framework::Status Replay(const RemoteCycle& cycle, const framework::PodInfo& pod, framework::NodeId node,
                           framework::CycleState& state) const;

  const framework::PluginInstance instance_;
  framework::Handle& handle_;
  framework::IndexedCluster* cluster_ = nullptr;
};

}  // namespace berth::remote
