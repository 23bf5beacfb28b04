// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/unmet_requirements.h"

#include "plugins/node_affinity/node_sets.h"

#include <optional>
#include <string>

namespace berth::plugins {
namespace {

std::optional<std::string> ValueOf(const api::Labels& labels, const std::string& key) {
  const std::string* value = labels.Find(key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace

std::vector<framework::Lack> UnmetRequirements(const api::PodSpec& spec, const api::Node& node) {
  const api::Labels& labels = node.meta.labels;
  std::vector<framework::Lack> lacks;
  const auto check = [&](const api::NodeSelectorRequirement& requirement) {
    if (api::Matches(requirement, labels)) return;
    lacks.emplace_back(framework::UnmetRequirement{requirement, ValueOf(labels, requirement.key)});
  };
  for (const auto& [key, value] : spec.node_selector) check({key, "In", {value}});
  const api::NodeSelector* affinity = RequiredAffinity(spec);
  if (affinity == nullptr || affinity->terms.size() != 1) return lacks;
  for (const api::NodeSelectorRequirement& requirement : affinity->terms.front().match_expressions) check(requirement);
  return lacks;
}

}  // namespace berth::plugins
