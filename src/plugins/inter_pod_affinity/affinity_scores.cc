// SPDX-License-Identifier: Apache-2.0
#include "plugins/inter_pod_affinity/affinity_scores.h"

#include "plugins/inter_pod_affinity/own_terms.h"

namespace berth::plugins::affinity {

using framework::CarriedTerm;
using framework::IndexedCluster;
using framework::kMaxNodeScore;
using framework::Lister;
using framework::NodeId;
using framework::PodInfo;
using framework::ScoreColumn;
using framework::TermKind;
using framework::WeightedAffinityTerm;

namespace {

void AddOwn(IndexedCluster& cluster, const Lister& lister, const std::vector<WeightedAffinityTerm>& preferences,
            int64_t sign, TopologyCounts& weights) {
  OwnTerms term;
  for (const WeightedAffinityTerm& preference : preferences) {
    term.Assign({&preference.term, 1}, lister);
    weights.Add(cluster, preference.term.topology_key, cluster.CountPods({.all_of = term.all()}),
                sign * preference.weight);
  }
}

}  // namespace

bool AffinityScores::Prepare(IndexedCluster& cluster, const PodInfo& pod, const Lister& lister,
                             const InterPodAffinityArgs& args) {
  AddOwn(cluster, lister, pod.traits->preferred_affinity, +1, weights_);
  AddOwn(cluster, lister, pod.traits->preferred_anti_affinity, -1, weights_);

  const api::Labels* namespace_labels = LabelsOf(lister, pod->meta.namespace_);
  const auto add_carried = [&](TermKind kind, auto&& weight_of) {
    cluster.FindCarriedTerms(kind, pod->meta.labels, carried_);
    for (const CarriedTerm* carried : carried_) {
      if (!carried->term.Matches(*pod, namespace_labels)) continue;
      weights_.Add(cluster, carried->term.topology_key, carried->carriers, weight_of(*carried));
    }
  };
  if (args.hard_pod_affinity_weight > 0) {
    add_carried(TermKind::RequiredAffinity, [&](const CarriedTerm&) { return args.hard_pod_affinity_weight; });
  }
  add_carried(TermKind::PreferredAffinity, [](const CarriedTerm& carried) { return carried.weight; });
  add_carried(TermKind::PreferredAntiAffinity, [](const CarriedTerm& carried) { return -carried.weight; });
  return weights_.any();
}

int64_t AffinityScores::Of(NodeId node) const {
  int64_t score = 0;
  for (const DomainCounts& key : weights_.keys()) score += key.At(node);
  return score;
}

void AffinityScores::WriteAll(ScoreColumn& scores) const {
  const std::span<int64_t> values = scores.FreshValues();
  if (const std::span<const DomainCounts> keys = weights_.keys(); keys.size() == 1) {
    for (const NodeId node : scores.feasible()) values[node] = keys[0].At(node);
  } else {
    for (const NodeId node : scores.feasible()) values[node] = Of(node);
  }
}

void AffinityScores::Normalize(ScoreColumn& scores) {
  const auto [lowest, highest] = RangeOf(scores);
  const int64_t range = highest - lowest;
  if (range <= 0) {
    scores.SetAll(0);
    return;
  }
  TransformScores(scores, [lowest = lowest, range](int64_t score) {
    return static_cast<int64_t>(static_cast<double>(kMaxNodeScore) *
                                (static_cast<double>(score - lowest) / static_cast<double>(range)));
  });
}

}  // namespace berth::plugins::affinity
