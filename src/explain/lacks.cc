// SPDX-License-Identifier: Apache-2.0
#include "explain/lacks.h"

#include "explain/pod_needs.h"
#include "plugins/node_affinity/node_affinity.h"
#include "plugins/node_ports/node_ports.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/node_unschedulable/node_unschedulable.h"
#include "plugins/taint_toleration/taint_toleration.h"
#include "text/amount.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::explain {
namespace {

using framework::NodeInfo;
using framework::PodInfo;
using framework::ResourceNames;
using framework::Status;
using text::AmountText;

constexpr std::string_view kInsufficient = "Insufficient ";
constexpr std::string_view kTooManyPods = "Too many pods";

std::string_view EffectName(api::TaintEffect effect) {
  switch (effect) {
    case api::TaintEffect::NoSchedule: return "NoSchedule";
    case api::TaintEffect::PreferNoSchedule: return "PreferNoSchedule";
    case api::TaintEffect::NoExecute: return "NoExecute";
    case api::TaintEffect::None: break;
  }
  return "";
}

std::vector<std::string> UntoleratedTaints(const PodInfo& pod, const NodeInfo& node) {
  std::vector<std::string> lacks;
  for (const api::Taint& taint : node.node->taints) {
    if (taint.effect == api::TaintEffect::PreferNoSchedule || api::Tolerated(taint, pod.spec().tolerations)) continue;
    lacks.push_back(fmt::format("taint {}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                                EffectName(taint.effect)));
  }
  return lacks;
}

std::string Has(const api::Labels& labels, const std::string& key) {
  const std::string* value = labels.Find(key);
  return value == nullptr ? fmt::format("has no {}", key) : fmt::format("has {}={}", key, *value);
}

std::vector<std::string> UnmetSelectors(const PodInfo& pod, const NodeInfo& node) {
  const api::Labels& labels = node.node->meta.labels;
  std::vector<std::string> lacks;
  for (const auto& [key, value] : pod.spec().node_selector) {
    const std::string* actual = labels.Find(key);
    if (actual == nullptr || *actual != value)
      lacks.push_back(fmt::format("needs {}={}, {}", key, value, Has(labels, key)));
  }
  const auto& affinity = pod.spec().affinity;
  if (affinity == nullptr || !affinity->node || !affinity->node->required) return lacks;
  const std::vector<api::NodeSelectorTerm>& terms = affinity->node->required->terms;
  if (terms.size() != 1) return lacks;  // with several alternatives no single requirement is to blame
  for (const api::NodeSelectorRequirement& requirement : terms.front().match_expressions) {
    if (api::Matches(requirement, labels)) continue;
    lacks.push_back(fmt::format("needs {}, {}", RequirementText(requirement), Has(labels, requirement.key)));
  }
  return lacks;
}

std::vector<std::string> TakenPorts(const PodInfo& pod, const NodeInfo& node) {
  std::vector<std::string> lacks;
  for (const framework::HostPort& port : pod.traits->host_ports) {
    const bool taken = std::any_of(node.used_ports.begin(), node.used_ports.end(),
                                   [&](const framework::HostPort& used) { return used.ConflictsWith(port); });
    if (taken) lacks.push_back(fmt::format("host port {}/{} is taken", port.port, port.protocol));
  }
  return lacks;
}

std::vector<std::string> MissingResources(const PodInfo& pod, const NodeInfo& node, const Status& verdict,
                                          ResourceNames& names) {
  std::vector<std::string> lacks;
  for (const std::string& reason : verdict.reasons()) {
    if (reason == kTooManyPods)
      lacks.push_back(fmt::format("full: {} of {} pods", node.pods.size(), node.allowed_pods));
  }
  for (const Shortfall& shortfall : ShortfallsOf(pod, node, verdict, names)) {
    const auto text = [&](int64_t amount) { return AmountText(shortfall.resource, amount); };
    lacks.push_back(fmt::format("short of {} {} (needs {}, free {})", text(shortfall.missing()), shortfall.resource,
                                text(shortfall.requested), text(shortfall.free)));
  }
  return lacks;
}

}  // namespace

std::vector<Shortfall> ShortfallsOf(const PodInfo& pod, const NodeInfo& node, const Status& verdict,
                                    ResourceNames& names) {
  std::vector<Shortfall> shortfalls;
  if (verdict.plugin() != plugins::kNodeResourcesFit) return shortfalls;
  for (const std::string& reason : verdict.reasons()) {
    if (!reason.starts_with(kInsufficient)) continue;
    const std::string name = reason.substr(kInsufficient.size());
    const framework::ResourceId id = names.Intern(name);
    const int64_t allocatable = node.allocatable.Get(id);
    shortfalls.push_back({name, pod.traits->spec_requests.Get(id), allocatable - node.requested.Get(id), allocatable});
  }
  return shortfalls;
}

std::vector<std::string> LacksOf(const PodInfo& pod, const NodeInfo& node, const Status& verdict,
                                 ResourceNames& names) {
  const std::string_view plugin = verdict.plugin();
  if (plugin == plugins::kNodeResourcesFit) return MissingResources(pod, node, verdict, names);
  if (plugin == plugins::kTaintToleration) return UntoleratedTaints(pod, node);
  if (plugin == plugins::kNodeAffinity) return UnmetSelectors(pod, node);
  if (plugin == plugins::kNodePorts) return TakenPorts(pod, node);
  if (plugin == plugins::kNodeUnschedulable) return {"cordoned (spec.unschedulable)"};
  return {};
}

}  // namespace berth::explain
