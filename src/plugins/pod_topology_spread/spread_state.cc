// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/spread_state.h"

#include "base/short_array.h"
#include "plugins/pod_topology_spread/node_inclusion.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace berth::plugins::spread {
namespace {

using framework::ClusterView;
using framework::IndexedCluster;
using framework::NodeId;
using framework::TopologyColumn;

constexpr int32_t kNoDomains = std::numeric_limits<int32_t>::max();

void CountNodes(const ClusterView& cluster, SpreadCounts& counts) {
  if (counts.eligible == cluster.live_nodes()) {
    counts.nodes = counts.column->nodes_in_domain;
    return;
  }
  counts.nodes_if_some.assign(counts.column->domain_count(), 0);
  counts.eligible.ForEach(
      [&](size_t node) { ++counts.nodes_if_some[static_cast<size_t>(counts.column->domain_of_node[node])]; });
  counts.nodes = counts.nodes_if_some;
}

void CountPods(IndexedCluster& cluster, SpreadCounts& counts) {
  counts.pods.assign(counts.column->domain_count() + 1, 0);
  if (counts.constraint->CountsNobody()) return;
  const framework::AffinityTerm* const counted = &counts.constraint->counted;
  const framework::NodeCounts& found = cluster.CountPods({.all_of = {&counted, 1}, .skip_terminating = true});
  found.ForEach([&](NodeId node, int32_t count) {
    if (counts.eligible.Test(node)) counts.pods[static_cast<size_t>(counts.column->domain_of_node[node] + 1)] += count;
  });
}

// How many domains have eligible nodes, and the pods in the emptiest of these and in the fullest of all.
void Summarize(SpreadCounts& counts) {
  int32_t domains = 0;
  int32_t fewest = kNoDomains;
  int32_t most = 0;
  const std::span<const int32_t> pods = std::span(counts.pods).subspan(1);
  for (size_t d = 0; d < counts.nodes.size(); ++d) {
    const bool exists = counts.nodes[d] > 0;
    domains += exists ? 1 : 0;
    fewest = std::min(fewest, exists ? pods[d] : kNoDomains);
    most = std::max(most, pods[d]);
  }
  counts.domains = domains;
  counts.fewest = fewest;
  counts.most = most;
}

// The fewest pods in domains [begin, end) that have eligible nodes.
int32_t FewestIn(const SpreadCounts& counts, size_t begin, size_t end) {
  int32_t fewest = kNoDomains;
  for (size_t d = begin; d < end; ++d) {
    const int32_t pods = counts.nodes[d] > 0 ? counts.pods[d + 1] : kNoDomains;
    fewest = std::min(fewest, pods);
  }
  return fewest;
}

}  // namespace

void SpreadState::Count(IndexedCluster& cluster, const api::Pod& pod) {
  Counted& counted = counted_.Renew();
  const std::vector<Constraint>& constraints = counted.constraints.list;
  counted.counts.resize(constraints.size());
  fewest_.resize(constraints.size());

  ShortArray<const TopologyColumn*, kFewConstraints> columns(constraints.size());
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = &cluster.topology(constraints[i].key());
  FindNodesWithAllKeys(cluster, columns, counted.nodes_with_keys);
  const bool every_node_has_keys = counted.nodes_with_keys == cluster.live_nodes();
  NodeInclusion inclusion(cluster, pod);

  for (size_t i = 0; i < constraints.size(); ++i) {
    SpreadCounts& counts = counted.counts[i];
    counts.constraint = &constraints[i];
    counts.selects_itself = constraints[i].Selects(pod.meta.labels);
    counts.column = columns[i];
    counts.every_node_has_label = every_node_has_keys;
    counts.eligible = counted.nodes_with_keys;
    inclusion.Restrict(constraints[i], counts.eligible);
    CountNodes(cluster, counts);
    CountPods(cluster, counts);
    Summarize(counts);
    fewest_[i] = counts.fewest;
  }
}

void SpreadState::Update(const api::Pod& changed, NodeId node, int32_t delta) {
  for (size_t i = 0; i < counts().size(); ++i) {
    const SpreadCounts& counts = counted_->counts[i];
    if (!counts.eligible.Test(node) || !counts.constraint->Selects(changed.meta.labels)) continue;
    const int32_t domain = counts.column->domain_of_node[node];
    const auto known = std::find_if(changes_.begin(), changes_.end(), [&](const Change& change) {
      return change.constraint == i && change.domain == domain;
    });
    if (known != changes_.end()) {
      known->delta += delta;
    } else {
      changes_.push_back({i, domain, delta});
    }
    fewest_[i] = Fewest(i);
  }
}

SpreadState::Verdict SpreadState::Judge(NodeId node) const {
  for (size_t i = 0; i < counts().size(); ++i) {
    const int32_t domain = counts()[i].column->domain_of_node[node];
    if (domain == TopologyColumn::kMissing) return Verdict::MissingLabel;
    if (PodsIn(i, domain) > Limit(i)) return Verdict::TooSkewed;
  }
  return Verdict::Pass;
}

int64_t SpreadState::Limit(size_t constraint) const {
  const SpreadCounts& counts = counted_->counts[constraint];
  // With too few domains, the ones that are missing count as empty.
  const int64_t fewest = counts.domains < counts.constraint->min_domains ? 0 : fewest_[constraint];
  return int64_t{counts.constraint->max_skew} + fewest - static_cast<int64_t>(counts.selects_itself);
}

int32_t SpreadState::PodsIn(size_t constraint, int32_t domain) const {
  int32_t pods = counts()[constraint].pods[static_cast<size_t>(domain + 1)];
  for (const Change& change : changes_) {
    if (change.constraint == constraint && change.domain == domain) pods += change.delta;
  }
  return pods;
}

int32_t SpreadState::Fewest(size_t constraint) const {
  const SpreadCounts& counts = counted_->counts[constraint];
  std::vector<size_t> touched;
  int32_t fewest = kNoDomains;
  bool touched_an_emptiest = false;
  for (const Change& change : changes_) {
    if (change.constraint != constraint) continue;
    const int32_t before = counts.pods[static_cast<size_t>(change.domain + 1)];
    touched.push_back(static_cast<size_t>(change.domain));
    touched_an_emptiest = touched_an_emptiest || before == counts.fewest;
    fewest = std::min(fewest, before + change.delta);
  }
  if (!touched_an_emptiest) return std::min(fewest, counts.fewest);
  std::sort(touched.begin(), touched.end());
  size_t begin = 0;
  for (const size_t domain : touched) {
    fewest = std::min(fewest, FewestIn(counts, begin, domain));
    begin = domain + 1;
  }
  return std::min(fewest, FewestIn(counts, begin, counts.nodes.size()));
}

}  // namespace berth::plugins::spread
