// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_index.h"

#include <algorithm>

namespace berth::cluster {

using framework::AffinityTerm;
using framework::NodeCounts;
using framework::NodeId;
using framework::PodInfo;
using framework::PodQuery;
using framework::TermKind;

namespace {

void AssignKey(const PodQuery& query, std::string& key) {
  key.assign(1, query.skip_terminating ? 't' : 'a');
  for (const AffinityTerm* term : query.all_of) AppendScope(*term, key);
}

// A class lives as long as it is here, so its address is its identity; deletion is told by the address's lowest bit.
uint64_t KeyOf(const framework::PodClass* pod_class, bool terminating) {
  static_assert(alignof(framework::PodClass) > 1);
  return reinterpret_cast<uintptr_t>(pod_class) | static_cast<uintptr_t>(terminating);
}

}  // namespace

bool PodIndex::Query::Matches(const CountedClass& candidate, const NamespaceLabels& labels) const {
  if (skip_terminating && candidate.terminating) return false;
  const std::string& ns = candidate.pod_class->pod_template->namespace_;
  return std::ranges::all_of(
      all_of, [&](const AffinityTerm& term) { return term.Matches(ns, candidate.pod_class->labels, labels(ns)); });
}

PodIndex::ClassId PodIndex::Enter(const PodInfo& pod, const NamespaceLabels& labels) {
  const auto [it, is_new] =
      class_ids_.try_emplace(KeyOf(pod.pod_class.get(), pod->is_terminating()), static_cast<ClassId>(classes_.size()));
  if (is_new) {
    if (vacant_classes_.empty()) {
      classes_.emplace_back();
    } else {
      it->second = vacant_classes_.back();
      vacant_classes_.pop_back();
    }
    CountedClass& added = classes_[it->second];
    added.pod_class = pod.pod_class;
    added.terminating = pod->is_terminating();
    selectors_.ForLabels(pod.pod_class->labels, [&](Number number) {
      if (queries_[number].Matches(added, labels)) added.counted_by.push_back(number);
    });
  }
  ++classes_[it->second].pods;
  return it->second;
}

void PodIndex::Leave(ClassId pod_class) {
  CountedClass& left = classes_[pod_class];
  if (--left.pods > 0) return;
  class_ids_.erase(KeyOf(left.pod_class.get(), left.terminating));
  left = {};
  vacant_classes_.push_back(pod_class);
}

void PodIndex::Add(const PodInfo& pod, ClassId pod_class, NodeId node) {
  for (const Number number : classes_[pod_class].counted_by) queries_[number].counts.Add(node, 1);
  Carry(*pod.traits, node, +1);
}

void PodIndex::Remove(const PodInfo& pod, ClassId pod_class, NodeId node) {
  for (const Number number : classes_[pod_class].counted_by) queries_[number].counts.Add(node, -1);
  Carry(*pod.traits, node, -1);
}

void PodIndex::NamespaceChanged() {
  DropQueries([](const Query& query) {
    return std::ranges::any_of(query.all_of,
                               [](const AffinityTerm& term) { return !term.namespace_selector.selects_nothing(); });
  });
}

void PodIndex::Trim(size_t max_queries) {
  if (numbers_.size() <= max_queries) return;
  std::vector<uint64_t> used;
  used.reserve(queries_.size());
  for (const Query& query : queries_) used.push_back(query.last_used);
  // Down to half, so that trimming is paid for rarely.
  const auto cut = used.begin() + static_cast<std::ptrdiff_t>(used.size() - max_queries / 2);
  std::nth_element(used.begin(), cut, used.end());
  DropQueries([oldest_kept = *cut](const Query& query) { return query.last_used < oldest_kept; });
}

template <typename F>
void PodIndex::DropQueries(F&& is_dropped) {
  bool any = false;
  for (Number number = 0; number < queries_.size(); ++number) {
    if (queries_[number].last_used == 0 || !is_dropped(queries_[number])) continue;
    any = true;
    selectors_.Erase(number);
    queries_[number] = {};
    vacant_queries_.push_back(number);
  }
  if (!any) return;
  const auto is_vacant = [&](Number number) { return queries_[number].last_used == 0; };
  std::erase_if(numbers_, [&](const auto& entry) { return is_vacant(entry.second); });
  for (CountedClass& counted : classes_) std::erase_if(counted.counted_by, is_vacant);
}

const NodeCounts& PodIndex::Count(const PodQuery& query, const NamespaceLabels& labels, const EachPod& each_pod) {
  AssignKey(query, scratch_);
  auto it = numbers_.find(scratch_);
  if (it == numbers_.end()) {
    it = numbers_.emplace(scratch_, AddQuery(query)).first;
    CountAll(it->second, labels, each_pod);
  }
  Query& entry = queries_[it->second];
  entry.last_used = ++uses_;
  return entry.counts;
}

PodIndex::Number PodIndex::AddQuery(const PodQuery& query) {
  auto number = static_cast<Number>(queries_.size());
  if (vacant_queries_.empty()) {
    queries_.emplace_back();
  } else {
    number = vacant_queries_.back();
    vacant_queries_.pop_back();
  }
  Query& added = queries_[number];
  for (const AffinityTerm* term : query.all_of) added.all_of.push_back(*term);
  added.skip_terminating = query.skip_terminating;
  // Who matches all terms matches the first.
  selectors_.Insert(number, added.all_of.empty() ? api::Selector::Everything() : added.all_of.front().selector);
  return number;
}

void PodIndex::CountAll(Number number, const NamespaceLabels& labels, const EachPod& each_pod) {
  Query& query = queries_[number];
  std::vector<bool> is_counted(classes_.size());
  for (ClassId id = 0; id < classes_.size(); ++id) {
    CountedClass& candidate = classes_[id];
    if (candidate.pod_class == nullptr || !query.Matches(candidate, labels)) continue;
    is_counted[id] = true;
    candidate.counted_by.push_back(number);
  }
  each_pod([&](ClassId pod_class, NodeId node) {
    if (is_counted[pod_class]) query.counts.Add(node, 1);
  });
}

void PodIndex::Carry(const framework::PodTraits& traits, NodeId node, int32_t sign) {
  const auto of = [this](TermKind kind) -> CarriedTerms& { return carried_[static_cast<size_t>(kind)]; };
  for (const AffinityTerm& term : traits.required_affinity) of(TermKind::RequiredAffinity).Count(term, 0, node, sign);
  for (const AffinityTerm& term : traits.required_anti_affinity) {
    of(TermKind::RequiredAntiAffinity).Count(term, 0, node, sign);
  }
  for (const auto& [term, weight] : traits.preferred_affinity) {
    of(TermKind::PreferredAffinity).Count(term, weight, node, sign);
  }
  for (const auto& [term, weight] : traits.preferred_anti_affinity) {
    of(TermKind::PreferredAntiAffinity).Count(term, weight, node, sign);
  }
}

}  // namespace berth::cluster
