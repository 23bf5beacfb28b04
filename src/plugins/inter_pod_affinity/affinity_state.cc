// SPDX-License-Identifier: Apache-2.0
#include "plugins/inter_pod_affinity/affinity_state.h"

#include "framework/node_scan.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

#include <algorithm>

namespace berth::plugins::affinity {

using framework::AffinityTerm;
using framework::CarriedTerm;
using framework::ClusterView;
using framework::IndexedCluster;
using framework::Lister;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::RejectWhere;
using framework::Status;
using framework::TermKind;
using framework::TopologyColumn;
using framework::Verdicts;

namespace {

const Status& BreaksAffinity() {
  static const Status kStatus = Status::Unresolvable("node(s) didn't match pod affinity rules").By(kInterPodAffinity);
  return kStatus;
}
const Status& BreaksAntiAffinity() {
  static const Status kStatus =
      Status::Unschedulable("node(s) didn't match pod anti-affinity rules").By(kInterPodAffinity);
  return kStatus;
}
const Status& BreaksExistingAntiAffinity() {
  static const Status kStatus =
      Status::Unschedulable("node(s) didn't satisfy existing pods anti-affinity rules").By(kInterPodAffinity);
  return kStatus;
}

// Rejects the nodes in whose domains pods were counted.
void RejectInhabited(const TopologyCounts& counts, const Status& status, Verdicts& verdicts) {
  if (counts.total() == 0) return;
  for (const DomainCounts& key : counts.keys()) {
    if (key.nodes_fill_domains) {
      if (key.nodes.Any()) verdicts.RejectAll(key.nodes, verdicts.Intern(status));
    } else {
      RejectWhere(verdicts, status, [&](NodeId node) { return key.IsInhabited(node); });
    }
  }
}

}  // namespace

const TopologyCounts& AffinityState::Counted::Of(Kind kind) const {
  switch (kind) {
    case Kind::Affinity: return affinity;
    case Kind::AntiAffinity: return anti_affinity;
    case Kind::ExistingAntiAffinity: break;
  }
  return existing_anti_affinity;
}

bool AffinityState::Prepare(IndexedCluster& cluster, const PodInfo& pod, const Lister& lister) {
  Counted* const counted = &counted_.Renew();
  for (TopologyCounts* counts : {&counted->affinity, &counted->anti_affinity, &counted->existing_anti_affinity}) {
    counts->Clear();
  }
  counted->pod_class = pod.pod_class;
  counted->pod = pod.pod;
  counted->namespace_labels = LabelsOf(lister, pod->meta.namespace_);
  cluster.FindCarriedTerms(TermKind::RequiredAntiAffinity, pod->meta.labels, counted->carried);
  for (const CarriedTerm* carried : counted->carried) {
    if (!carried->term.Matches(*pod, counted->namespace_labels)) continue;
    counted->existing_anti_affinity.Add(cluster, carried->term.topology_key, carried->carriers);
  }

  counted->matches_itself = false;
  counted->affinity_terms.Assign(pod.traits->required_affinity.get(), lister);
  if (const OwnTerms& terms = counted->affinity_terms; !terms.empty()) {
    counted->matches_itself = terms.AllMatch(*pod, counted->namespace_labels);
    const framework::NodeCounts& matching = cluster.CountPods({.all_of = terms.all()});
    for (size_t i = 0; i < terms.size(); ++i) {
      const std::string& key = terms[i].topology_key;
      if (counted->affinity.Find(key) != TopologyCounts::kNoKey) continue;
      counted->affinity.AddKey(cluster, key);
      counted->affinity.Add(cluster, key, matching);
    }
  }
  counted->anti_affinity_terms.Assign(pod.traits->required_anti_affinity.get(), lister);
  for (const AffinityTerm* term : counted->anti_affinity_terms.all()) {
    counted->anti_affinity.AddKey(cluster, term->topology_key);
    counted->anti_affinity.Add(cluster, term->topology_key, cluster.CountPods({.all_of = {&term, 1}}));
  }
  return !counted->affinity_terms.empty() || !counted->anti_affinity_terms.empty() ||
         counted->existing_anti_affinity.total() != 0;
}

void AffinityState::Update(const PodInfo& changed, const NodeInfo& node, const Lister& lister, int64_t delta) {
  for (const AffinityTerm& term : changed.traits->required_anti_affinity) {
    if (!term.Matches(*counted_->pod, counted_->namespace_labels)) continue;
    Note(Kind::ExistingAntiAffinity, term.topology_key, node, delta);
  }
  if (counted_->affinity_terms.empty() && counted_->anti_affinity_terms.empty()) return;
  const api::Labels* namespace_labels = LabelsOf(lister, changed->meta.namespace_);
  if (counted_->affinity_terms.AllMatch(*changed, namespace_labels)) {
    for (const DomainCounts& key : counted_->affinity.keys()) Note(Kind::Affinity, key.column->key, node, delta);
  }
  for (const AffinityTerm* term : counted_->anti_affinity_terms.all()) {
    if (term->Matches(*changed, namespace_labels)) Note(Kind::AntiAffinity, term->topology_key, node, delta);
  }
}

void AffinityState::Note(Kind kind, const std::string& key, const NodeInfo& node, int64_t delta) {
  const size_t index = counted_->Of(kind).Find(key);
  if (index == TopologyCounts::kNoKey) {
    const std::string* value = node.node->meta.labels.Find(key);
    if (value == nullptr) return;
    const auto known = std::find_if(loose_changes_.begin(), loose_changes_.end(), [&](const LooseChange& change) {
      return change.key == key && change.value == *value;
    });
    if (known != loose_changes_.end()) {
      known->delta += delta;
    } else {
      loose_changes_.push_back({key, *value, delta});
    }
    return;
  }
  const int32_t domain = counted_->Of(kind).keys()[index].DomainOf(node.id);
  if (domain == TopologyColumn::kMissing) return;
  const auto known = std::find_if(changes_.begin(), changes_.end(), [&](const Change& change) {
    return change.kind == kind && change.key == index && change.domain == domain;
  });
  if (known != changes_.end()) {
    known->delta += delta;
  } else {
    changes_.push_back({kind, index, domain, delta});
  }
}

Status AffinityState::Judge(const NodeInfo& node) const {
  if (!MeetsAffinity(node.id)) return BreaksAffinity();
  if (AnyAt(Kind::AntiAffinity, node.id)) return BreaksAntiAffinity();
  if (AnyAt(Kind::ExistingAntiAffinity, node.id) || !MeetsLooseChanges(node)) return BreaksExistingAntiAffinity();
  return Status::Success();
}

void AffinityState::JudgeAll(const ClusterView& cluster, Verdicts& verdicts) const {
  if (!changes_.empty() || !loose_changes_.empty()) {
    const Bitset passing = verdicts.passing();
    passing.ForEach([&](size_t id) {
      const auto node = static_cast<NodeId>(id);
      if (const Status status = Judge(cluster.node(node)); !status.ok()) verdicts.Reject(node, verdicts.Intern(status));
    });
    return;
  }
  const bool is_first = IsFirstOfItsKind();
  for (const DomainCounts& key : counted_->affinity.keys()) {
    if (is_first) {
      RejectWhere(verdicts, BreaksAffinity(),
                  [&](NodeId node) { return key.DomainOf(node) == TopologyColumn::kMissing; });
    } else if (key.nodes_fill_domains) {
      verdicts.RejectOutside(key.nodes, verdicts.Intern(BreaksAffinity()));
    } else {
      // Nodes without the label have no pods in their domain either.
      RejectWhere(verdicts, BreaksAffinity(), [&](NodeId node) { return !key.IsInhabited(node); });
    }
  }
  RejectInhabited(counted_->anti_affinity, BreaksAntiAffinity(), verdicts);
  RejectInhabited(counted_->existing_anti_affinity, BreaksExistingAntiAffinity(), verdicts);
}

int64_t AffinityState::PodsAt(Kind kind, size_t key, int32_t domain) const {
  int64_t pods = counted_->Of(kind).keys()[key].In(domain);
  for (const Change& change : changes_) {
    if (change.kind == kind && change.key == key && change.domain == domain) pods += change.delta;
  }
  return pods;
}

bool AffinityState::AnyAt(Kind kind, NodeId node) const {
  const std::span<const DomainCounts> keys = counted_->Of(kind).keys();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (PodsAt(kind, i, keys[i].DomainOf(node)) > 0) return true;
  }
  return false;
}

bool AffinityState::MeetsAffinity(NodeId node) const {
  const std::span<const DomainCounts> keys = counted_->affinity.keys();
  bool pods_everywhere = true;
  for (size_t i = 0; i < keys.size(); ++i) {
    const int32_t domain = keys[i].DomainOf(node);
    if (domain == TopologyColumn::kMissing) return false;
    pods_everywhere = pods_everywhere && PodsAt(Kind::Affinity, i, domain) > 0;
  }
  return pods_everywhere || IsFirstOfItsKind();
}

bool AffinityState::MeetsLooseChanges(const NodeInfo& node) const {
  return std::none_of(loose_changes_.begin(), loose_changes_.end(), [&](const LooseChange& change) {
    const std::string* value = node.node->meta.labels.Find(change.key);
    return change.delta > 0 && value != nullptr && *value == change.value;
  });
}

bool AffinityState::IsFirstOfItsKind() const {
  if (!counted_->matches_itself) return false;
  int64_t pods = counted_->affinity.total();
  for (const Change& change : changes_) {
    if (change.kind == Kind::Affinity) pods += change.delta;
  }
  return pods == 0;
}

}  // namespace berth::plugins::affinity
