// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/indexed_cluster.h"
#include "framework/lister.h"
#include "framework/pod_info.h"
#include "framework/score_column.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity_args.h"
#include "plugins/inter_pod_affinity/topology_counts.h"

#include <cstdint>

namespace berth::plugins::affinity {

// What Score knows: for each topology domain, the sum of the weights of all preferences that speak for it or, negative,
// against it.
class AffinityScores final : public framework::CloneableState<AffinityScores> {
 public:
  static constexpr bool kEndsWithDecision = true;

  // Weighs for a pod that is to be placed. Says whether any preference speaks for or against any domain.
  bool Prepare(framework::IndexedCluster& cluster, const framework::PodInfo& pod, const framework::Lister& lister,
               const InterPodAffinityArgs& args);
  void Clear() { weights_.Clear(); }

  int64_t Of(framework::NodeId node) const;
  void WriteAll(framework::ScoreColumn& scores) const;
  static void Normalize(framework::ScoreColumn& scores);

 private:
  TopologyCounts weights_;
  std::vector<const framework::CarriedTerm*> carried_;  // kept for its memory
};

}  // namespace berth::plugins::affinity
