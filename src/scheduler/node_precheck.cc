// SPDX-License-Identifier: Apache-2.0
#include "scheduler/node_precheck.h"

#include "api/node_selector.h"
#include "api/taint.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {
namespace {

using framework::NodeInfo;
using framework::PodInfo;

bool HasRoom(const NodeInfo& node, const framework::ResourceAmounts& wanted) {
  const auto fits = [](int64_t amount, int64_t allocatable, int64_t requested) {
    return amount == 0 || amount <= allocatable - requested;
  };
  if (std::cmp_greater_equal(node.pods.size(), node.allowed_pods)) return false;
  if (!fits(wanted.cpu, node.allocatable.cpu, node.requested.cpu)) return false;
  if (!fits(wanted.memory, node.allocatable.memory, node.requested.memory)) return false;
  if (!fits(wanted.ephemeral_storage, node.allocatable.ephemeral_storage, node.requested.ephemeral_storage)) {
    return false;
  }
  return std::ranges::all_of(wanted.scalars, [&](const auto& scalar) {
    return fits(scalar.second, node.allocatable.Get(scalar.first), node.requested.Get(scalar.first));
  });
}

bool MeetsAffinity(const api::PodSpec& spec, const api::Node& node) {
  const bool selected = std::ranges::all_of(spec.node_selector, [&](const auto& wanted) {
    const auto* value = node.meta.labels.Find(wanted.first);
    return value != nullptr && *value == wanted.second;
  });
  if (!selected || spec.affinity == nullptr || !spec.affinity->node || !spec.affinity->node->required) return selected;
  return api::Matches(*spec.affinity->node->required, node.meta.labels, node.meta.name);
}

bool HasPorts(const NodeInfo& node, const PodInfo& pod) {
  return std::ranges::none_of(pod.traits->host_ports, [&](const framework::HostPort& wanted) {
    return std::ranges::any_of(node.used_ports,
                               [&](const framework::HostPort& used) { return wanted.ConflictsWith(used); });
  });
}

}  // namespace

bool CouldTake(const NodeInfo& node, const PodInfo& pod, bool may_compare_tolerations) {
  if (!HasRoom(node, pod.traits->spec_requests) || !MeetsAffinity(pod.spec(), *node.node) || !HasPorts(node, pod)) {
    return false;
  }
  return std::ranges::all_of(node.node->taints, [&](const api::Taint& taint) {
    const bool repels = taint.effect == api::TaintEffect::NoSchedule || taint.effect == api::TaintEffect::NoExecute;
    return !repels || api::Tolerated(taint, pod.spec().tolerations, may_compare_tolerations);
  });
}

}  // namespace berth::scheduler
