// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "api/pod.h"
#include "base/result.h"
#include "framework/handle.h"
#include "framework/pod_info.h"
#include "plugins/pod_topology_spread/pod_topology_spread_args.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace berth::plugins::spread {

// A spread constraint with its selector parsed.
struct Constraint {
  framework::AffinityTerm counted;  // which pods count, and the topology key they are counted by
  int32_t max_skew = 1;
  int32_t min_domains = 1;
  bool honors_affinity = true;
  bool honors_taints = false;
  bool tolerations_compare = false;  // with Lt and Gt, too

  const std::string& key() const { return counted.topology_key; }
  // Hosts are scored by the pods on the node itself, whatever its label says.
  bool is_hostname() const { return key() == "kubernetes.io/hostname"; }
  bool Selects(const api::Labels& labels) const { return counted.selector.Matches(labels); }
  // As upstream, a selector that selects everything counts nobody, although it does select the pod itself.
  bool CountsNobody() const { return counted.selector.selects_everything() || counted.selector.selects_nothing(); }
};

// Pods have a handful of constraints: so many are worked on without asking for memory.
inline constexpr size_t kFewConstraints = 8;

// The constraints of the pod that was asked about last.
struct FoundConstraints {
  std::vector<Constraint> list;
  // The spec they come from, its owner's namespace, and the action asked for; null when they depend on more than that.
  std::shared_ptr<const api::PodSpec> spec;
  std::string namespace_;
  api::UnsatisfiableAction action = api::UnsatisfiableAction::DoNotSchedule;
};

// Finds a pod's constraints: its own, or else the profile's defaults with a selector drawn from the services and
// controllers the pod belongs to.
class ConstraintSource {
 public:
  // The handle outlives the source.
  ConstraintSource(const PodTopologySpreadArgs& args, const framework::Handle& handle);

  Result<std::vector<Constraint>> Find(const api::Pod& pod, api::UnsatisfiableAction action) const;
  // The same into `found`, which is left as it is when it has been found for a pod of the same template.
  Result<void> Find(const api::Pod& pod, api::UnsatisfiableAction action, FoundConstraints& found) const;
  // Whether pods without constraints of this kind may get some.
  bool HasDefaults(api::UnsatisfiableAction action) const;
  // Under the system's defaults a node without a zone still takes part in spreading over hosts.
  bool RequiresAllKeys(const api::Pod& pod) const {
    return !system_defaulted_ || !pod.spec->topology_spread_constraints.empty();
  }

 private:
  Result<void> FindDefaults(const api::Pod& pod, api::UnsatisfiableAction action, std::vector<Constraint>& found) const;

  const framework::Handle& handle_;
  std::vector<api::TopologySpreadConstraint> defaults_;
  bool system_defaulted_;
};

}  // namespace berth::plugins::spread
