// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/constraint.h"

#include "plugins/pod_topology_spread/default_selector.h"

#include <algorithm>
#include <utility>

namespace berth::plugins::spread {
namespace {

std::vector<api::TopologySpreadConstraint> SystemDefaults() {
  api::TopologySpreadConstraint hosts;
  hosts.max_skew = 3;
  hosts.topology_key = "kubernetes.io/hostname";
  hosts.when_unsatisfiable = api::UnsatisfiableAction::ScheduleAnyway;
  api::TopologySpreadConstraint zones = hosts;
  zones.max_skew = 5;
  zones.topology_key = "topology.kubernetes.io/zone";
  return {hosts, zones};
}

Result<api::Selector> SelectorOf(const api::TopologySpreadConstraint& constraint, const api::Labels& pod_labels,
                                 const features::FeatureGates& gates) {
  BERTH_ASSIGN_OR_RETURN(api::Selector selector, api::Selector::From(constraint.label_selector));
  if (!gates.Enabled(features::Gate::MatchLabelKeysInPodTopologySpread)) return selector;
  api::Labels merged;
  for (const std::string& key : constraint.match_label_keys) {
    if (const std::string* value = pod_labels.Find(key)) merged.Set(key, *value);
  }
  for (const auto& [key, value] : merged) selector.Add({key, api::Selector::Op::In, {value}});
  return selector;
}

// Constraints of an earlier pod that are in `found` give their memory to the new ones.
Result<void> Parse(const std::vector<api::TopologySpreadConstraint>& constraints, const api::Pod& pod,
                   api::UnsatisfiableAction action, const features::FeatureGates& gates,
                   std::vector<Constraint>& found) {
  size_t count = 0;
  for (const api::TopologySpreadConstraint& constraint : constraints) {
    if (constraint.when_unsatisfiable != action) continue;
    if (found.size() == count) found.emplace_back();
    Constraint& result = found[count++];
    BERTH_ASSIGN_OR_RETURN(result.counted.selector, SelectorOf(constraint, pod.meta.labels, gates));
    result.counted.namespaces.assign(1, pod.meta.namespace_);
    result.counted.topology_key = constraint.topology_key;
    result.max_skew = constraint.max_skew;
    result.min_domains = constraint.min_domains.value_or(1);
    result.honors_affinity =
        constraint.node_affinity_policy.value_or(api::InclusionPolicy::Honor) == api::InclusionPolicy::Honor;
    result.honors_taints =
        constraint.node_taints_policy.value_or(api::InclusionPolicy::Ignore) == api::InclusionPolicy::Honor;
    result.tolerations_compare = gates.Enabled(features::Gate::TaintTolerationComparisonOperators);
  }
  found.resize(count);
  return {};
}

// Whether constraints of this spec follow from the spec alone, apart from the pod's namespace.
bool HangOnSpecAlone(const api::PodSpec& spec) {
  return std::all_of(
      spec.topology_spread_constraints.begin(), spec.topology_spread_constraints.end(),
      [](const api::TopologySpreadConstraint& constraint) { return constraint.match_label_keys.empty(); });
}

Error Prefixed(std::string_view attempt, api::UnsatisfiableAction action, const Error& error) {
  const std::string_view kind = action == api::UnsatisfiableAction::DoNotSchedule ? "hard" : "soft";
  return {error.code, std::string(attempt) + std::string(kind) + " topology spread constraints: " + error.message};
}

}  // namespace

ConstraintSource::ConstraintSource(const PodTopologySpreadArgs& args, const framework::Handle& handle)
    : handle_(handle),
      defaults_(args.defaulting_type == "System" ? SystemDefaults() : args.default_constraints),
      system_defaulted_(args.defaulting_type == "System") {}

bool ConstraintSource::HasDefaults(api::UnsatisfiableAction action) const {
  return std::ranges::any_of(defaults_, [&](const auto& c) { return c.when_unsatisfiable == action; });
}

Result<std::vector<Constraint>> ConstraintSource::Find(const api::Pod& pod, api::UnsatisfiableAction action) const {
  FoundConstraints found;
  BERTH_RETURN_IF_ERROR(Find(pod, action, found));
  return std::move(found.list);
}

Result<void> ConstraintSource::Find(const api::Pod& pod, api::UnsatisfiableAction action,
                                    FoundConstraints& found) const {
  const bool has_own = !pod.spec->topology_spread_constraints.empty();
  if (has_own && found.spec == pod.spec && found.action == action && found.namespace_ == pod.meta.namespace_) return {};
  found.spec = nullptr;
  if (!has_own) return FindDefaults(pod, action, found.list);
  if (Result<void> own = Parse(pod.spec->topology_spread_constraints, pod, action, handle_.features(), found.list);
      !own) {
    return Prefixed("obtaining pod's ", action, own.error());
  }
  if (HangOnSpecAlone(*pod.spec)) {
    found.spec = pod.spec;
    found.namespace_ = pod.meta.namespace_;
    found.action = action;
  }
  return {};
}

Result<void> ConstraintSource::FindDefaults(const api::Pod& pod, api::UnsatisfiableAction action,
                                            std::vector<Constraint>& found) const {
  const auto applies = [&](const api::TopologySpreadConstraint& constraint) {
    return constraint.when_unsatisfiable == action;
  };
  if (std::none_of(defaults_.begin(), defaults_.end(), applies)) {
    found.clear();
    return {};
  }
  const api::Selector selector = DefaultSelector(pod, handle_.lister());
  if (selector.selects_everything()) {
    found.clear();
    return {};
  }
  if (Result<void> parsed = Parse(defaults_, pod, action, handle_.features(), found); !parsed) {
    return Prefixed("setting default ", action, parsed.error());
  }
  for (Constraint& constraint : found) constraint.counted.selector = selector;
  return {};
}

}  // namespace berth::plugins::spread
