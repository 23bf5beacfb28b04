// SPDX-License-Identifier: Apache-2.0
#include "explain/pod_needs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::explain {
namespace {

using framework::AffinityTerm;
using framework::PodInfo;
using framework::ResourceId;

std::string TermText(const api::NodeSelectorTerm& term) {
  std::vector<std::string> parts;
  for (const auto& requirement : term.match_expressions) parts.push_back(RequirementText(requirement));
  for (const auto& requirement : term.match_fields) parts.push_back(RequirementText(requirement));
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string NodeAffinityText(const api::NodeSelector& selector) {
  std::vector<std::string> terms;
  for (const api::NodeSelectorTerm& term : selector.terms) terms.push_back(TermText(term));
  return fmt::format("node affinity {}", fmt::join(terms, " or "));
}

std::string SelectorText(const api::Selector& selector) {
  if (selector.selects_nothing()) return "no pods";
  if (selector.selects_everything()) return "all pods";
  return fmt::format("pods {}", selector.ToString());
}

std::string AffinityText(std::string_view verb, const AffinityTerm& term) {
  return fmt::format("{} {} per {}", verb, SelectorText(term.selector), term.topology_key);
}

std::string SpreadText(const api::TopologySpreadConstraint& constraint) {
  const bool must = constraint.when_unsatisfiable == api::UnsatisfiableAction::DoNotSchedule;
  return fmt::format("{} over {} (maxSkew {})", must ? "spread" : "prefers to spread", constraint.topology_key,
                     constraint.max_skew);
}

std::string TolerationText(const api::Toleration& toleration) {
  if (toleration.key.empty()) return "everything";
  return toleration.op == "Exists" || toleration.value.empty() ? toleration.key
                                                               : toleration.key + "=" + toleration.value;
}

void AddVolumeRules(const PodInfo& pod, std::vector<std::string>& rules) {
  for (const api::Volume& volume : pod.spec().volumes) {
    if (const auto* claim = std::get_if<api::ClaimVolume>(&volume.source)) {
      rules.push_back(fmt::format("claim {}", claim->claim_name));
    } else if (std::holds_alternative<api::EphemeralVolume>(volume.source)) {
      rules.push_back(fmt::format("claim {}-{}", pod->meta.name, volume.name));
    }
  }
}

std::vector<std::string> RulesOf(const PodInfo& pod) {
  const api::PodSpec& spec = pod.spec();
  std::vector<std::string> rules;
  if (spec.affinity != nullptr && spec.affinity->node && spec.affinity->node->required) {
    rules.push_back(NodeAffinityText(*spec.affinity->node->required));
  }
  for (const AffinityTerm& term : pod.traits->required_affinity) rules.push_back(AffinityText("near", term));
  for (const AffinityTerm& term : pod.traits->required_anti_affinity) rules.push_back(AffinityText("apart from", term));
  for (const auto& constraint : spec.topology_spread_constraints) rules.push_back(SpreadText(constraint));
  for (const framework::HostPort& port : pod.traits->host_ports) {
    rules.push_back(fmt::format("host port {}/{}", port.port, port.protocol));
  }
  AddVolumeRules(pod, rules);
  if (!spec.tolerations.empty()) {
    std::vector<std::string> texts;
    for (const api::Toleration& toleration : spec.tolerations) texts.push_back(TolerationText(toleration));
    rules.push_back(fmt::format("tolerates {}", fmt::join(texts, ", ")));
  }
  return rules;
}

}  // namespace

std::string RequirementText(const api::NodeSelectorRequirement& requirement) {
  const auto values = [&] { return fmt::format("({})", fmt::join(requirement.values, ", ")); };
  if (requirement.op == "In" && requirement.values.size() == 1) {
    return fmt::format("{}={}", requirement.key, requirement.values.front());
  }
  if (requirement.op == "In") return fmt::format("{} in {}", requirement.key, values());
  if (requirement.op == "NotIn") return fmt::format("{} not in {}", requirement.key, values());
  if (requirement.op == "Exists") return fmt::format("{} exists", requirement.key);
  if (requirement.op == "DoesNotExist") return fmt::format("{} does not exist", requirement.key);
  return fmt::format("{} {} {}", requirement.key, requirement.op, values());
}

PodNeeds NeedsOf(const PodInfo& pod, const framework::ResourceNames& names) {
  PodNeeds needs;
  const framework::ResourceAmounts& requests = pod.traits->spec_requests;
  const auto add = [&](ResourceId id) {
    if (const int64_t amount = requests.Get(id); amount != 0) needs.requests.push_back({names.Name(id), amount});
  };
  add(ResourceId::Cpu);
  add(ResourceId::Memory);
  add(ResourceId::EphemeralStorage);
  for (const auto& [id, amount] : requests.scalars) add(id);
  for (const auto& [key, value] : pod.spec().node_selector) needs.node_selector.emplace_back(key, value);
  needs.rules = RulesOf(pod);
  needs.priority = pod->priority();
  return needs;
}

}  // namespace berth::explain
