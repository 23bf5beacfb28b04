// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shared_value.h"
#include "framework/cluster_view.h"
#include "framework/cycle_state.h"
#include "framework/indexed_cluster.h"
#include "framework/lister.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/verdicts.h"
#include "plugins/inter_pod_affinity/own_terms.h"
#include "plugins/inter_pod_affinity/topology_counts.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace berth::plugins::affinity {

// What Filter knows. The counts are shared by all clones; a clone adds its own changes, which are few: they come from
// the pods of one node.
class AffinityState final : public framework::CloneableState<AffinityState> {
 public:
  static constexpr bool kEndsWithDecision = true;

  // Counts for a pod that is to be placed. Says whether any node can be rejected: as upstream, pods that are nominated
  // and not yet there do not count.
  bool Prepare(framework::IndexedCluster& cluster, const framework::PodInfo& pod, const framework::Lister& lister);
  void Clear() {
    changes_.clear();
    loose_changes_.clear();
  }
  // Counts a pod that comes to the node (+1) or leaves it (-1).
  void Update(const framework::PodInfo& changed, const framework::NodeInfo& node, const framework::Lister& lister,
              int64_t delta);

  framework::Status Judge(const framework::NodeInfo& node) const;
  // The same for all passing nodes, of which `cluster` knows the rest.
  void JudgeAll(const framework::ClusterView& cluster, framework::Verdicts& verdicts) const;

 private:
  // Whose terms: the pod's own ones, or those of pods that are there already.
  enum class Kind : uint8_t { Affinity, AntiAffinity, ExistingAntiAffinity };

  struct Counted {
    framework::PodClassPtr pod_class;  // keeps the terms alive
    api::PodPtr pod;
    const api::Labels* namespace_labels = nullptr;
    OwnTerms affinity_terms;
    OwnTerms anti_affinity_terms;
    TopologyCounts affinity;  // pods that match all affinity terms
    TopologyCounts anti_affinity;
    TopologyCounts existing_anti_affinity;  // pods with a required anti-affinity term that matches the pod
    bool matches_itself = false;
    std::vector<const framework::CarriedTerm*> carried;  // kept for its memory

    const TopologyCounts& Of(Kind kind) const;
  };
  struct Change {
    Kind kind;
    size_t key;
    int32_t domain;
    int64_t delta;
  };
  // A change under a key that no counted pod has.
  struct LooseChange {
    std::string key;
    std::string value;
    int64_t delta;
  };

  void Note(Kind kind, const std::string& key, const framework::NodeInfo& node, int64_t delta);
  int64_t PodsAt(Kind kind, size_t key, int32_t domain) const;
  bool AnyAt(Kind kind, framework::NodeId node) const;
  bool MeetsAffinity(framework::NodeId node) const;
  bool MeetsLooseChanges(const framework::NodeInfo& node) const;
  // The first pod of a group that wants to be together may go anywhere.
  bool IsFirstOfItsKind() const;

  SharedValue<Counted> counted_;
  std::vector<Change> changes_;
  std::vector<LooseChange> loose_changes_;
};

}  // namespace berth::plugins::affinity
