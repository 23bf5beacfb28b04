// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_parts.h"

#include "base/check.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::conformance {
namespace {

std::string RandomLabelKey(Dice& dice) { return dice.Pick({"app", "tier", "env", "track"}); }

std::string RandomLabelValue(Dice& dice, const std::string& key) {
  if (key == "app") return dice.Pick({"web", "db", "cache"});
  if (key == "tier") return dice.Pick({"front", "back"});
  if (key == "env") return dice.Pick({"prod", "dev", ""});
  return dice.Pick({"a", "b"});
}

api::NodeSelectorRequirement RandomNodeRequirement(Dice& dice, bool oddities) {
  const std::string op = oddities ? dice.Pick({"In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Near"})
                                  : dice.Pick({"In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
  api::NodeSelectorRequirement requirement{dice.Pick({"disk", "cores", "pool", kZone, "rack", "absent"}), op, {}};
  if (op == "In" || op == "NotIn") {
    for (size_t i = 0; i <= dice.Below(2); ++i) {
      requirement.values.push_back(dice.Pick({"ssd", "hdd", "a", "b", "z0", "z1", "z2", "8", "16", "k1", "k2", ""}));
    }
  } else if (op == "Gt" || op == "Lt") {
    requirement.key = "cores";
    requirement.values = {oddities ? dice.Pick({"3", "8", "10", "word"}) : dice.Pick({"3", "8", "10"})};
  }
  return requirement;
}

}  // namespace

api::Quantity Amount(std::string_view text) {
  Result<api::Quantity> amount = api::Quantity::Parse(text);
  BERTH_CHECK(amount.has_value());
  return *amount;
}

Timestamp AtSecond(int64_t second) { return Timestamp(std::chrono::seconds(1'767'225'600 + second)); }

const std::vector<std::string>& RandomNamespaces() {
  static const std::vector<std::string> kNamespaces = {"default", "red", "blue", "ghost"};
  return kNamespaces;
}

std::string RandomImage(Dice& dice) {
  const std::string name =
      dice.Pick({"registry.test/nginx", "registry.test:5000/team/api", "busybox", "registry.test/train"});
  return name + dice.Pick({":v1", ":v2", ":latest", ""});
}

std::string RandomNodeName(Dice& dice, size_t nodes) { return fmt::format("node-{:03}", dice.Below(nodes + 1)); }

api::Labels RandomLabels(Dice& dice, double probability) {
  api::Labels labels;
  for (const std::string key : {"app", "tier", "env", "track"}) {
    if (dice.Chance(probability)) labels.Set(key, RandomLabelValue(dice, key));
  }
  return labels;
}

api::LabelSelector RandomSelector(Dice& dice) {
  api::LabelSelector selector;
  if (dice.Chance(0.08)) return selector;  // selects everything
  const std::string key = RandomLabelKey(dice);
  if (dice.Chance(0.6)) selector.match_labels.Set(key, RandomLabelValue(dice, key));
  if (selector.match_labels.empty() || dice.Chance(0.5)) {
    const std::string other = RandomLabelKey(dice);
    api::LabelSelector::Requirement requirement{other, dice.Pick({"In", "NotIn", "Exists", "DoesNotExist"}), {}};
    if (requirement.op == "In" || requirement.op == "NotIn") {
      for (size_t i = 0; i <= dice.Below(2); ++i) requirement.values.push_back(RandomLabelValue(dice, other));
    }
    selector.match_expressions.push_back(std::move(requirement));
  }
  return selector;
}

std::optional<api::LabelSelector> RandomOptionalSelector(Dice& dice) {
  if (dice.Chance(0.04)) return std::nullopt;
  return RandomSelector(dice);
}

api::NodeSelectorTerm RandomNodeTerm(Dice& dice, const ClusterShape& shape, bool by_name) {
  api::NodeSelectorTerm term;
  for (size_t i = dice.Below(3); i > 0; --i)
    term.match_expressions.push_back(RandomNodeRequirement(dice, shape.oddities));
  if (by_name || dice.Chance(0.15)) {
    term.match_fields.push_back(
        {"metadata.name", dice.Pick({"In", "In", "NotIn"}), {RandomNodeName(dice, shape.nodes)}});
  }
  return term;
}

api::NodeAffinity RandomNodeAffinity(Dice& dice, const ClusterShape& shape) {
  api::NodeAffinity affinity;
  if (dice.Chance(0.45)) {
    affinity.required.emplace();
    const bool by_name = dice.Chance(0.2);
    for (size_t i = 0; i <= dice.Below(2); ++i)
      affinity.required->terms.push_back(RandomNodeTerm(dice, shape, by_name));
  }
  if (dice.Chance(0.7)) {
    for (size_t i = 0; i <= dice.Below(3); ++i) {
      affinity.preferred.push_back({dice.Between(0, 100), RandomNodeTerm(dice, shape, false)});
    }
  }
  return affinity;
}

api::PodAffinityTerm RandomPodAffinityTerm(Dice& dice) {
  api::PodAffinityTerm term;
  term.label_selector = RandomOptionalSelector(dice);
  term.topology_key = dice.Pick({kHostname, kZone, kZone, kRegion, "rack", "absent"});
  if (dice.Chance(0.25)) {
    for (size_t i = 0; i <= dice.Below(2); ++i) term.namespaces.push_back(dice.OneOf(RandomNamespaces()));
  }
  if (dice.Chance(0.35)) {
    api::LabelSelector& selector = term.namespace_selector.emplace();
    if (dice.Chance(0.5)) selector.match_labels.Set("team", dice.Pick({"one", "two"}));
    if (dice.Chance(0.3)) {
      selector.match_expressions.push_back({"team", dice.Pick({"Exists", "DoesNotExist"}), {}});
    }
  }
  return term;
}

api::PodAffinity RandomPodAffinity(Dice& dice) {
  api::PodAffinity affinity;
  for (int32_t i = dice.PickOf({0, 0, 0, 1, 1, 2}); i > 0; --i)
    affinity.required.push_back(RandomPodAffinityTerm(dice));
  for (size_t i = dice.Below(3); i > 0; --i) {
    affinity.preferred.push_back({dice.Between(1, 100), RandomPodAffinityTerm(dice)});
  }
  return affinity;
}

std::vector<api::TopologySpreadConstraint> RandomSpread(Dice& dice) {
  using api::InclusionPolicy;
  using api::UnsatisfiableAction;
  std::vector<api::TopologySpreadConstraint> constraints;
  for (size_t i = 0; i <= dice.Below(3); ++i) {
    api::TopologySpreadConstraint constraint;
    constraint.max_skew = dice.Between(1, 3);
    constraint.topology_key = dice.Pick({kHostname, kZone, kZone, "rack"});
    constraint.when_unsatisfiable =
        dice.PickOf({UnsatisfiableAction::DoNotSchedule, UnsatisfiableAction::ScheduleAnyway});
    const bool known = std::any_of(constraints.begin(), constraints.end(), [&](const auto& other) {
      return other.topology_key == constraint.topology_key && other.when_unsatisfiable == constraint.when_unsatisfiable;
    });
    if (known) continue;
    constraint.label_selector = RandomOptionalSelector(dice);
    if (constraint.when_unsatisfiable == UnsatisfiableAction::DoNotSchedule && dice.Chance(0.25)) {
      constraint.min_domains = dice.Between(1, 4);
    }
    if (dice.Chance(0.3))
      constraint.node_affinity_policy = dice.PickOf({InclusionPolicy::Honor, InclusionPolicy::Ignore});
    if (dice.Chance(0.3))
      constraint.node_taints_policy = dice.PickOf({InclusionPolicy::Honor, InclusionPolicy::Ignore});
    if (dice.Chance(0.2)) constraint.match_label_keys = {dice.Pick({"app", "track", "absent"})};
    constraints.push_back(std::move(constraint));
  }
  return constraints;
}

}  // namespace berth::conformance
