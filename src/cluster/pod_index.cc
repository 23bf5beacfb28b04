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

constexpr char kSeparator = '\0';

void AssignKey(const PodQuery& query, std::string& key) {
  key.assign(1, query.skip_terminating ? 't' : 'a');
  for (const AffinityTerm* term : query.all_of) AppendScope(*term, key);
}

}  // namespace

PodIndex::ClassId PodIndex::ClassOf(const api::Pod& pod) {
  std::string& key = scratch_;
  key.assign(1, pod.is_terminating() ? 't' : 'a');
  key += pod.meta.namespace_;
  for (const auto& [name, value] : pod.meta.labels) {
    key += kSeparator;
    key += name;
    key += kSeparator;
    key += value;
  }
  if (const auto it = class_ids_.find(key); it != class_ids_.end()) return it->second;
  const auto id = static_cast<ClassId>(classes_.size());
  class_ids_.emplace(key, id);
  classes_.push_back({pod.meta.namespace_, pod.meta.labels, pod.is_terminating()});
  return id;
}

void PodIndex::Add(const PodInfo& pod, ClassId pod_class, NodeId node, const NamespaceLabels& labels) {
  for (auto& [key, query] : queries_) {
    if (Matches(query, pod_class, labels)) query.counts.Add(node, 1);
  }
  Carry(*pod.traits, node, +1);
}

void PodIndex::Remove(const PodInfo& pod, ClassId pod_class, NodeId node, const NamespaceLabels& labels) {
  for (auto& [key, query] : queries_) {
    if (Matches(query, pod_class, labels)) query.counts.Add(node, -1);
  }
  Carry(*pod.traits, node, -1);
}

void PodIndex::NamespaceChanged() {
  std::erase_if(queries_, [](const auto& entry) {
    return std::any_of(entry.second.all_of.begin(), entry.second.all_of.end(),
                       [](const AffinityTerm& term) { return !term.namespace_selector.selects_nothing(); });
  });
}

void PodIndex::Trim(size_t max_queries) {
  if (queries_.size() <= max_queries) return;
  std::vector<uint64_t> used;
  used.reserve(queries_.size());
  for (const auto& [key, query] : queries_) used.push_back(query.last_used);
  // Down to half, so that trimming is paid for rarely.
  const auto cut = used.begin() + static_cast<std::ptrdiff_t>(used.size() - max_queries / 2);
  std::nth_element(used.begin(), cut, used.end());
  std::erase_if(queries_, [oldest_kept = *cut](const auto& entry) { return entry.second.last_used < oldest_kept; });
}

const NodeCounts& PodIndex::Count(const PodQuery& query, const NamespaceLabels& labels, const EachPod& each_pod) {
  AssignKey(query, scratch_);
  auto it = queries_.find(scratch_);
  const bool is_new = it == queries_.end();
  if (is_new) it = queries_.try_emplace(scratch_).first;
  Query& entry = it->second;
  entry.last_used = ++uses_;
  if (is_new) {
    for (const AffinityTerm* term : query.all_of) entry.all_of.push_back(*term);
    entry.skip_terminating = query.skip_terminating;
    each_pod([&](ClassId pod_class, NodeId node) {
      if (Matches(entry, pod_class, labels)) entry.counts.Add(node, 1);
    });
  }
  return entry.counts;
}

bool PodIndex::Matches(Query& query, ClassId pod_class, const NamespaceLabels& labels) const {
  if (query.matches.size() <= pod_class) query.matches.resize(classes_.size(), Match::Unknown);
  Match& known = query.matches[pod_class];
  if (known == Match::Unknown) {
    const PodClass& candidate = classes_[pod_class];
    api::Pod probe;
    probe.meta.namespace_ = candidate.ns;
    probe.meta.labels = candidate.labels;
    const bool matches = !(query.skip_terminating && candidate.terminating) &&
                         std::all_of(query.all_of.begin(), query.all_of.end(), [&](const AffinityTerm& term) {
                           return term.Matches(probe, labels(candidate.ns));
                         });
    known = matches ? Match::Yes : Match::No;
  }
  return known == Match::Yes;
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
