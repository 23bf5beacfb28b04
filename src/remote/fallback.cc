// SPDX-License-Identifier: Apache-2.0
#include "remote/fallback.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace berth::remote {

using framework::ClusterView;
using framework::CycleState;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PreFilterResult;
using framework::Status;
using framework::Verdicts;

FallbackState& Fallback::StateOf(const RemoteCycle& cycle) const {
  if (cycle.fallback == nullptr) cycle.fallback = std::make_unique<FallbackState>();
  return *cycle.fallback;
}

PreFilterResult Fallback::PreFilter(const RemoteCycle& cycle, const PodInfo& pod) const {
  cycle.fallback.reset();
  FallbackState& state = StateOf(cycle);
  if (instance_.pre_filter == nullptr || cluster_ == nullptr) return {};
  PreFilterResult result = instance_.pre_filter->PreFilter(state.state, pod, *cluster_);
  state.pre_filter = result.status;
  if (result.node_names) {
    std::vector<NodeId>& only = state.only.emplace();
    for (const std::string& name : *result.node_names) {
      if (const NodeId id = cluster_->FindNode(name); id != framework::kNoNode) only.push_back(id);
    }
  }
  return result;
}

FallbackState& Fallback::Prepared(const RemoteCycle& cycle, const PodInfo& pod) const {
  if (cycle.fallback == nullptr) static_cast<void>(PreFilter(cycle, pod));
  return *cycle.fallback;
}

Status Fallback::Replay(const RemoteCycle& cycle, const PodInfo& pod, NodeId node, CycleState& state) const {
  const framework::PreFilterExtensions* extensions = instance_.pre_filter_extensions;
  if (extensions == nullptr || cycle.changes.empty()) return Status::Success();
  NodeInfo copy = handle_.cluster().node(node);
  for (const NodeChange& change : cycle.changes) {
    if (change.node != node) continue;
    if (change.added) {
      copy.AddPod(change.pod);
    } else {
      copy.RemovePod(framework::PodUid(*change.pod->pod));
    }
    Status status = change.added ? extensions->AddPod(state, pod, *change.pod, copy)
                                 : extensions->RemovePod(state, pod, *change.pod, copy);
    if (!status.ok()) return status;
  }
  return Status::Success();
}

Status Fallback::Filter(const RemoteCycle& cycle, const PodInfo& pod, const NodeInfo& node) const {
  FallbackState& prepared = Prepared(cycle, pod);
  if (prepared.pre_filter.is_skip() || instance_.filter == nullptr) return Status::Success();
  if (!prepared.pre_filter.ok()) return prepared.pre_filter;
  if (prepared.only && std::ranges::find(*prepared.only, node.id) == prepared.only->end()) {
    return Status::Unresolvable("node(s) didn't satisfy plugin");
  }
  if (cycle.changes.empty()) return instance_.filter->Filter(prepared.state, pod, node);
  CycleState state = prepared.state.Clone();
  if (Status status = Replay(cycle, pod, node.id, state); !status.ok()) return status;
  return instance_.filter->Filter(state, pod, node);
}

Status Fallback::FilterAll(const RemoteCycle& cycle, const PodInfo& pod, const ClusterView& cluster,
                           Verdicts& verdicts) const {
  FallbackState& prepared = Prepared(cycle, pod);
  if (prepared.pre_filter.ok() && !prepared.only && instance_.filter_all != nullptr) {
    return instance_.filter_all->FilterAll(prepared.state, pod, cluster, verdicts);
  }
  const Bitset passing = verdicts.passing();
  Status failure;
  passing.ForEach([&](size_t slot) {
    const auto id = static_cast<NodeId>(slot);
    if (!failure.ok()) return;
    const Status status = Filter(cycle, pod, cluster.node(id));
    if (status.is_rejected()) {
      verdicts.Reject(id, verdicts.Intern(status));
    } else if (!status.ok()) {
      failure = status;
    }
  });
  return failure;
}

Status Fallback::PreScore(const RemoteCycle& cycle, const PodInfo& pod, std::span<const NodeId> feasible) const {
  FallbackState& prepared = Prepared(cycle, pod);
  if (instance_.pre_score == nullptr || cluster_ == nullptr) return Status::Success();
  return instance_.pre_score->PreScore(prepared.state, pod, *cluster_, feasible);
}

Status Fallback::ScoreAll(const RemoteCycle& cycle, const PodInfo& pod, const ClusterView& cluster,
                          framework::ScoreColumn& scores) const {
  FallbackState& prepared = Prepared(cycle, pod);
  if (instance_.score_all != nullptr) return instance_.score_all->ScoreAll(prepared.state, pod, cluster, scores);
  if (instance_.score == nullptr) return Status::Success();
  const std::span<int64_t> values = scores.MutableValues();
  for (const NodeId node : scores.feasible()) {
    const Result<int64_t> score = instance_.score->Score(prepared.state, pod, cluster.node(node));
    if (!score) return Status::FromError(score.error());
    values[node] = *score;
  }
  return Status::Success();
}

}  // namespace berth::remote
