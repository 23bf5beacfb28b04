// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/node_selector.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::api {

struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::vector<PreferredSchedulingTerm> preferred;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;
};

struct WeightedPodAffinityTerm {
  int32_t weight = 0;
  PodAffinityTerm term;
};

// Affinity or anti-affinity to other pods.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;
};

struct Affinity {
  std::optional<NodeAffinity> node;
  std::optional<PodAffinity> pod;
  std::optional<PodAffinity> anti;
};

enum class UnsatisfiableAction : uint8_t { DoNotSchedule, ScheduleAnyway };
enum class InclusionPolicy : uint8_t { Ignore, Honor };

struct TopologySpreadConstraint {
  int32_t max_skew = 1;
  std::string topology_key;
  UnsatisfiableAction when_unsatisfiable = UnsatisfiableAction::DoNotSchedule;
  std::optional<LabelSelector> label_selector;
  std::optional<int32_t> min_domains;
  std::optional<InclusionPolicy> node_affinity_policy;  // absent means Honor
  std::optional<InclusionPolicy> node_taints_policy;    // absent means Ignore
  std::vector<std::string> match_label_keys;
};

}  // namespace berth::api
