// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "base/string_map.h"
#include "cluster/carried_terms.h"
#include "framework/indexed_cluster.h"
#include "framework/node_counts.h"
#include "framework/pod_info.h"

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cluster {

// Counts pods per node by selector, and the affinity terms that pods carry.
//
// Pods with equal namespace, labels and deletion state form a class, and a selector is matched once per class. A query
// is matched against all pods when first asked and kept up to date afterwards; queries that nobody asks for any longer
// are dropped when there are too many.
class PodIndex {
 public:
  using ClassId = uint32_t;
  // Gives the labels of a namespace; null when it is unknown.
  using NamespaceLabels = std::function<const api::Labels*(std::string_view)>;
  // Calls back with every placed pod.
  using EachPod = std::function<void(const std::function<void(ClassId, framework::NodeId)>&)>;

  ClassId ClassOf(const api::Pod& pod);
  void Add(const framework::PodInfo& pod, ClassId pod_class, framework::NodeId node, const NamespaceLabels& labels);
  void Remove(const framework::PodInfo& pod, ClassId pod_class, framework::NodeId node, const NamespaceLabels& labels);
  // A namespace's labels changed: what was matched through namespace selectors must be matched again.
  void NamespaceChanged();
  // Drops the queries longest unused. Call between cycles only: it ends the life of references handed out.
  void Trim(size_t max_queries);

  const framework::NodeCounts& Count(const framework::PodQuery& query, const NamespaceLabels& labels,
                                     const EachPod& each_pod);
  CarriedTerms& carried(framework::TermKind kind) { return carried_[static_cast<size_t>(kind)]; }
  const CarriedTerms& carried(framework::TermKind kind) const { return carried_[static_cast<size_t>(kind)]; }

 private:
  enum class Match : uint8_t { Unknown, No, Yes };
  struct PodClass {
    std::string ns;
    api::Labels labels;
    bool terminating = false;
  };
  struct Query {
    std::vector<framework::AffinityTerm> all_of;
    bool skip_terminating = false;
    std::vector<Match> matches;  // by class
    framework::NodeCounts counts;
    uint64_t last_used = 0;
  };

  bool Matches(Query& query, ClassId pod_class, const NamespaceLabels& labels) const;
  void Carry(const framework::PodTraits& traits, framework::NodeId node, int32_t sign);

  std::vector<PodClass> classes_;
  StringMap<ClassId> class_ids_;
  StringMap<Query> queries_;
  std::array<CarriedTerms, 4> carried_;  // by TermKind
  uint64_t uses_ = 0;
  std::string scratch_;  // kept for its memory
};

}  // namespace berth::cluster
