// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "base/string_map.h"
#include "cluster/carried_terms.h"
#include "cluster/selector_index.h"
#include "framework/indexed_cluster.h"
#include "framework/node_counts.h"
#include "framework/pod_info.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::cluster {

// Counts pods per node by selector, and the affinity terms that pods carry.
//
// Pods that are alike and equally far from deletion are counted as one class: a selector is matched once per class,
// when the first pod of the class comes or the question is new, and a pod that comes or goes touches the questions that
// count it and no other. A class is forgotten with its last pod; questions that nobody asks any longer are dropped when
// there are too many.
class PodIndex {
 public:
  using ClassId = uint32_t;
  // Gives the labels of a namespace; null when it is unknown.
  using NamespaceLabels = std::function<const api::Labels*(std::string_view)>;
  // Calls back with every placed pod.
  using EachPod = std::function<void(const std::function<void(ClassId, framework::NodeId)>&)>;

  // A pod becomes known, on a node or waiting for one. Its class stays until the pod leaves.
  ClassId Enter(const framework::PodInfo& pod, const NamespaceLabels& labels);
  void Leave(ClassId pod_class);
  // A pod that is known comes to a node, or goes from it.
  void Add(const framework::PodInfo& pod, ClassId pod_class, framework::NodeId node);
  void Remove(const framework::PodInfo& pod, ClassId pod_class, framework::NodeId node);
  // A namespace's labels changed: what was matched through namespace selectors must be matched again.
  void NamespaceChanged();
  // Drops the queries longest unused, down to half, when there are more. Call between cycles only: it ends the life of
  // references handed out.
  void Trim(size_t max_queries);

  const framework::NodeCounts& Count(const framework::PodQuery& query, const NamespaceLabels& labels,
                                     const EachPod& each_pod);
  CarriedTerms& carried(framework::TermKind kind) { return carried_[static_cast<size_t>(kind)]; }
  const CarriedTerms& carried(framework::TermKind kind) const { return carried_[static_cast<size_t>(kind)]; }
  size_t class_count() const { return class_ids_.size(); }
  size_t query_count() const { return numbers_.size(); }

 private:
  using Number = SelectorIndex::Number;
  struct CountedClass {
    framework::PodClassPtr pod_class;  // null while the id is vacant
    bool terminating = false;
    uint32_t pods = 0;
    std::vector<Number> counted_by;  // the queries that match it
  };
  struct Query {
    std::vector<framework::AffinityTerm> all_of;
    bool skip_terminating = false;
    framework::NodeCounts counts;
    uint64_t last_used = 0;  // zero while the number is vacant

    bool Matches(const CountedClass& candidate, const NamespaceLabels& labels) const;
  };

  Number AddQuery(const framework::PodQuery& query);
  void CountAll(Number number, const NamespaceLabels& labels, const EachPod& each_pod);
  template <typename F>
  void DropQueries(F&& is_dropped);
  void Carry(const framework::PodTraits& traits, framework::NodeId node, int32_t sign);

  std::vector<CountedClass> classes_;  // by id
  std::vector<ClassId> vacant_classes_;
  std::unordered_map<uint64_t, ClassId> class_ids_;  // by the address of the class and deletion
  // Queries are numbered, so that copies of the index need no repair; a deque, so that references stay valid.
  std::deque<Query> queries_;
  std::vector<Number> vacant_queries_;
  StringMap<Number> numbers_;            // by the query's text
  SelectorIndex selectors_;              // of the queries
  std::array<CarriedTerms, 4> carried_;  // by TermKind
  uint64_t uses_ = 0;
  std::string scratch_;  // kept for its memory
};

}  // namespace berth::cluster
