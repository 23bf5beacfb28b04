// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/indexed_cluster.h"
#include "framework/pod_info.h"
#include "framework/verdicts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::framework {

// A node that would take the pod if other pods were evicted from it.
struct PreemptionChoice {
  std::string node;
  std::vector<PodInfoPtr> victims;
  int64_t budget_violations = 0;
  bool best = false;  // one of those that would be nominated
};

struct PreemptionDescription {
  std::string forbidden;  // why the pod must not evict others; empty when it may
  std::vector<PreemptionChoice> choices;
};

// For PostFilter plugins that make room by evicting pods: tells `explain` of every choice, without taking any. Asked
// after Filter, in the state and with the verdicts of that cycle; never during scheduling.
class DescribePreemptionPlugin {
 public:
  virtual PreemptionDescription DescribePreemption(const CycleState& state, const PodInfo& pod, IndexedCluster& cluster,
                                                   const Verdicts& verdicts) const = 0;

 protected:
  ~DescribePreemptionPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
