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

Result<api::Selector> SelectorOf(const api::TopologySpreadConstraint& constraint, const api::Labels& pod_labels) {
  BERTH_ASSIGN_OR_RETURN(api::Selector selector, api::Selector::From(constraint.label_selector));
  api::Labels merged;
  for (const std::string& key : constraint.match_label_keys) {
    if (const std::string* value = pod_labels.Find(key)) merged.Set(key, *value);
  }
  for (const auto& [key, value] : merged) selector.Add({key, api::Selector::Op::In, {value}});
  return selector;
}

Result<std::vector<Constraint>> Parse(const std::vector<api::TopologySpreadConstraint>& constraints,
                                      const api::Pod& pod, api::UnsatisfiableAction action) {
  std::vector<Constraint> parsed;
  for (const api::TopologySpreadConstraint& constraint : constraints) {
    if (constraint.when_unsatisfiable != action) continue;
    BERTH_ASSIGN_OR_RETURN(api::Selector selector, SelectorOf(constraint, pod.meta.labels));
    Constraint& result = parsed.emplace_back();
    result.counted.selector = std::move(selector);
    result.counted.namespaces = {pod.meta.namespace_};
    result.counted.topology_key = constraint.topology_key;
    result.max_skew = constraint.max_skew;
    result.min_domains = constraint.min_domains.value_or(1);
    result.honors_affinity =
        constraint.node_affinity_policy.value_or(api::InclusionPolicy::Honor) == api::InclusionPolicy::Honor;
    result.honors_taints =
        constraint.node_taints_policy.value_or(api::InclusionPolicy::Ignore) == api::InclusionPolicy::Honor;
  }
  return parsed;
}

Error Prefixed(std::string_view attempt, api::UnsatisfiableAction action, const Error& error) {
  const std::string_view kind = action == api::UnsatisfiableAction::DoNotSchedule ? "hard" : "soft";
  return {error.code, std::string(attempt) + std::string(kind) + " topology spread constraints: " + error.message};
}

}  // namespace

ConstraintSource::ConstraintSource(const config::PodTopologySpreadArgs& args, const framework::Handle& handle)
    : handle_(handle),
      defaults_(args.defaulting_type == "System" ? SystemDefaults() : args.default_constraints),
      system_defaulted_(args.defaulting_type == "System") {}

bool ConstraintSource::HasDefaults(api::UnsatisfiableAction action) const {
  return std::ranges::any_of(defaults_, [&](const auto& c) { return c.when_unsatisfiable == action; });
}

Result<std::vector<Constraint>> ConstraintSource::Find(const api::Pod& pod, api::UnsatisfiableAction action) const {
  if (!pod.spec->topology_spread_constraints.empty()) {
    Result<std::vector<Constraint>> own = Parse(pod.spec->topology_spread_constraints, pod, action);
    if (!own) return Prefixed("obtaining pod's ", action, own.error());
    return own;
  }
  Result<std::vector<Constraint>> constraints = Parse(defaults_, pod, action);
  if (!constraints) return Prefixed("setting default ", action, constraints.error());
  if (constraints->empty()) return constraints;
  const api::Selector selector = DefaultSelector(pod, handle_.lister());
  if (selector.selects_everything()) return std::vector<Constraint>();
  for (Constraint& constraint : *constraints) constraint.counted.selector = selector;
  return constraints;
}

}  // namespace berth::plugins::spread
