// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/hypothetical_rules.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace berth::plugin_check {

using framework::Code;
using framework::CycleState;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::Status;

namespace {

constexpr size_t kNodesPerPod = 4;

}  // namespace

void HypotheticalRules::Check(const PodInfo& pod) {
  if (!plugin_.at_filter) return;
  std::vector<NodeId> occupied;
  cluster_.live_nodes().ForEach([&](size_t id) {
    if (!cluster_.node(static_cast<NodeId>(id)).pods.empty()) occupied.push_back(static_cast<NodeId>(id));
  });
  for (size_t i = 0; i < kNodesPerPod && !occupied.empty(); ++i) CheckNode(pod, dice_.OneOf(occupied));
}

void HypotheticalRules::CheckNode(const PodInfo& pod, NodeId id) {
  const PodInfoPtr other = dice_.OneOf(cluster_.node(id).pods);
  const std::string node = cluster_.node(id).name();
  // What PreFilter left may point into the cluster: all is asked before the cluster changes.
  const PreparedPod with = Prepare(plugin_, pod, cluster_);
  const std::optional<Status> really_with = Really(with, pod, id);
  const std::optional<Status> if_removed = WhatIf(with, pod, id, Change::Remove, other);

  cluster_.RemovePod(framework::PodUid(**other));
  const PreparedPod without = Prepare(plugin_, pod, cluster_);
  const std::optional<Status> really_without = Really(without, pod, id);
  const std::optional<Status> if_added = WhatIf(without, pod, id, Change::Add, other);
  cluster_.PlacePod(other, node);

  Compare("RemovePod of", pod, *other, node, if_removed, really_without);
  Compare("AddPod of", pod, *other, node, if_added, really_with);
}

std::optional<Status> HypotheticalRules::Really(const PreparedPod& prepared, const PodInfo& pod, NodeId id) const {
  if (prepared.skips_filter()) return Status::Success();
  if (!prepared.goes_on() || !prepared.Names(cluster_.node(id).name())) return std::nullopt;
  return plugin_.instance.filter->Filter(prepared.state, pod, cluster_.node(id));
}

std::optional<Status> HypotheticalRules::WhatIf(const PreparedPod& prepared, const PodInfo& pod, NodeId id,
                                                Change change, const PodInfoPtr& other) {
  // Who skips has nothing to say, whatever changes.
  if (prepared.skips_filter() || !Really(prepared, pod, id)) return std::nullopt;
  ++report_.hypothetical_questions;
  CycleState state = prepared.state.Clone();
  NodeInfo node = cluster_.node(id);
  const auto* extensions = plugin_.at_pre_filter ? plugin_.instance.pre_filter_extensions : nullptr;
  Status followed;
  if (change == Change::Add) {
    node.AddPod(other);
    if (extensions != nullptr) followed = extensions->AddPod(state, pod, *other, node);
  } else {
    node.RemovePod(framework::PodUid(**other));
    if (extensions != nullptr) followed = extensions->RemovePod(state, pod, *other, node);
  }
  if (!followed.ok()) {
    report_.Note(kNothingFails,
                 fmt::format("{} of pod {}, of {} on node {}: {}", change == Change::Add ? "AddPod" : "RemovePod",
                             pod->meta.Key(), (*other)->meta.Key(), node.name(), StatusText(followed)));
    return std::nullopt;
  }
  return plugin_.instance.filter->Filter(state, pod, node);
}

void HypotheticalRules::Compare(std::string_view what, const PodInfo& pod, const PodInfo& other, std::string_view node,
                                const std::optional<Status>& what_if, const std::optional<Status>& really) {
  if (!what_if || !really || what_if->code() == really->code()) return;
  report_.Note(kHypotheticalPods,
               fmt::format("{} {} on node {}: Filter of pod {} says {}, with a PreFilter of its own {}", what,
                           other->meta.Key(), node, pod->meta.Key(), StatusText(*what_if), StatusText(*really)));
}

}  // namespace berth::plugin_check
