// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/spread_scores.h"

#include "base/short_array.h"
#include "plugins/pod_topology_spread/natural_log.h"
#include "plugins/pod_topology_spread/node_inclusion.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace berth::plugins::spread {
namespace {

using framework::ClusterView;
using framework::IndexedCluster;
using framework::kMaxNodeScore;
using framework::NodeCounts;
using framework::NodeId;
using framework::NodeInfo;
using framework::ScoreColumn;
using framework::ScoreRange;
using framework::TopologyColumn;

// Host names aside, clusters have few domains: so many are worked on without asking for memory.
constexpr size_t kFewDomains = 256;

// To the nearest integer, halves away from zero.
int64_t Rounded(double x) {
  const auto whole = static_cast<int64_t>(x);
  const double rest = x - static_cast<double>(whole);
  return whole + static_cast<int64_t>(rest >= 0.5) - static_cast<int64_t>(rest <= -0.5);
}

double WeightOf(size_t domains) { return NaturalLog(static_cast<double>(domains + 2)); }

size_t SlotOf(const TopologyColumn& column, NodeId node) {
  return static_cast<size_t>(column.domain_of_node[node] + 1);
}

// Under the system's defaults, nodes without the label count as nodes whose label is empty. They share the slot of the
// domain "" if there is one, and have slot 0 to themselves otherwise.
size_t SlotOfUnlabelled(const TopologyColumn& column) {
  const auto empty = std::find(column.values.begin(), column.values.end(), "");
  return empty == column.values.end() ? 0 : static_cast<size_t>(empty - column.values.begin()) + 1;
}

// How many different slots the nodes have, which is `at_most` so many.
size_t CountSlots(const TopologyColumn& column, size_t unlabelled, std::span<const NodeId> nodes, const Bitset& ignored,
                  size_t at_most) {
  ShortArray<uint8_t, kFewDomains> seen(column.domain_count() + 1, 0);
  size_t slots = 0;
  for (const NodeId node : nodes) {
    // Domains are few as a rule: all have been seen long before the nodes end.
    if (slots == at_most) break;
    if (ignored.size() != 0 && ignored.Test(node)) continue;
    size_t slot = SlotOf(column, node);
    if (slot == 0) slot = unlabelled;
    slots += seen[slot] == 0 ? 1 : 0;
    seen[slot] = 1;
  }
  return slots;
}

size_t InhabitedDomains(const TopologyColumn& column) {
  return static_cast<size_t>(std::count_if(column.nodes_in_domain.begin(), column.nodes_in_domain.end(),
                                           [](int32_t nodes) { return nodes > 0; }));
}

// `score(slot, pods on the host)` over the feasible nodes, as if no host had pods that count.
template <typename F>
void WriteTable(const TopologyColumn& column, F&& score, ScoreColumn& scores) {
  ShortArray<int64_t, kFewDomains> of_slot(column.domain_count() + 1, 0);
  bool uniform = true;
  size_t first = 0;  // the first inhabited slot
  for (size_t slot = 1; slot < of_slot.size(); ++slot) {
    if (column.nodes_in_domain[slot - 1] == 0) continue;
    if (first == 0) first = slot;
    of_slot[slot] = score(slot, 0);
    uniform = uniform && of_slot[slot] == of_slot[first];
  }
  if (uniform) {
    scores.SetAll(of_slot[first]);
    return;
  }
  const std::span<int64_t> values = scores.FreshValues();
  for (const NodeId node : scores.feasible()) values[node] = of_slot[SlotOf(column, node)];
}

int32_t CountOn(const NodeInfo& node, const Constraint& constraint) {
  if (constraint.CountsNobody()) return 0;
  return static_cast<int32_t>(std::count_if(node.pods.begin(), node.pods.end(), [&](const auto& pod) {
    return !(*pod)->is_terminating() && constraint.counted.Matches(**pod, nullptr);
  }));
}

}  // namespace

void SpreadScores::Count(IndexedCluster& cluster, const api::Pod& pod, bool require_all_keys,
                         std::span<const NodeId> feasible) {
  const std::vector<Constraint>& constraints = constraints_.list;
  require_all_keys_ = require_all_keys;
  parts_.resize(constraints.size());
  for (size_t i = 0; i < parts_.size(); ++i) parts_[i].column = &cluster.topology(constraints[i].key());
  const size_t ignored = FindIgnored(cluster, feasible);

  NodeInclusion inclusion(cluster, pod);
  const NodeCounts* counts = nullptr;
  for (size_t i = 0; i < parts_.size(); ++i) {
    SpreadScore& part = parts_[i];
    part.is_hostname = constraints[i].is_hostname();
    part.max_skew = constraints[i].max_skew;
    part.on_node = nullptr;
    const bool same_pods = i > 0 && constraints[i].counted.selector == constraints[i - 1].counted.selector;
    if (!same_pods) {
      const framework::AffinityTerm* const counted = &constraints[i].counted;
      counts = constraints[i].CountsNobody() ? nullptr
                                             : &cluster.CountPods({.all_of = {&counted, 1}, .skip_terminating = true});
    }
    if (part.is_hostname) {
      part.weight = WeightOf(feasible.size() - ignored);
      part.on_node = counts;
    } else {
      eligible_ = require_all_keys_ ? labelled_ : cluster.live_nodes();
      inclusion.Restrict(constraints[i], eligible_);
      ScoreDomains(part, counts, feasible);
    }
  }
}

size_t SpreadScores::FindIgnored(const ClusterView& cluster, std::span<const NodeId> feasible) {
  ShortArray<const TopologyColumn*, kFewConstraints> columns(parts_.size());
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = parts_[i].column;
  FindNodesWithAllKeys(cluster, columns, labelled_);
  every_node_has_keys_ = labelled_ == cluster.live_nodes();
  ignored_.Resize(0);
  if (!require_all_keys_ || every_node_has_keys_) return 0;
  ignored_.Resize(cluster.node_slots());
  size_t ignored = 0;
  for (const NodeId node : feasible) {
    if (labelled_.Test(node)) continue;
    ignored_.Set(node);
    ++ignored;
  }
  return ignored;
}

void SpreadScores::ScoreDomains(SpreadScore& part, const NodeCounts* counts, std::span<const NodeId> feasible) {
  const TopologyColumn& column = *part.column;
  const bool may_lack_label = !require_all_keys_ && !every_node_has_keys_;
  const size_t unlabelled = may_lack_label ? SlotOfUnlabelled(column) : 0;
  const size_t at_most = InhabitedDomains(column) + (may_lack_label ? 1 : 0);
  part.weight = WeightOf(CountSlots(column, unlabelled, feasible, ignored_, at_most));

  pods_.assign(column.domain_count() + 1, 0);
  if (counts != nullptr) {
    counts->ForEach([&](NodeId node, int32_t count) {
      if (!eligible_.Test(node)) return;
      const size_t slot = SlotOf(column, node);
      pods_[slot == 0 ? unlabelled : slot] += count;
    });
  }
  part.of_domain.resize(pods_.size());
  std::transform(pods_.begin(), pods_.end(), part.of_domain.begin(), [&](int64_t count) { return part.For(count); });
  part.of_domain[0] = 0;
}

int64_t SpreadScores::Of(const NodeInfo& node) const {
  if (IsIgnored(node.id)) return 0;
  double sum = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const SpreadScore& part = parts_[i];
    const size_t slot = SlotOf(*part.column, node.id);
    if (slot == 0) continue;
    sum += part.is_hostname ? part.For(CountOn(node, constraints_.list[i])) : part.of_domain[slot];
  }
  return Rounded(sum);
}

void SpreadScores::WriteAll(ScoreColumn& scores) const {
  const auto hosts =
      std::count_if(parts_.begin(), parts_.end(), [](const SpreadScore& part) { return part.is_hostname; });
  const bool at_most_one_each = hosts <= 1 && static_cast<std::ptrdiff_t>(parts_.size()) - hosts <= 1;
  if (at_most_one_each && (require_all_keys_ || every_node_has_keys_)) {
    WriteByDomain(scores);
  } else {
    const std::span<int64_t> values = scores.FreshValues();
    for (const NodeId node : scores.feasible()) values[node] = Rounded(SumOver(node));
  }
  if (ignored_.size() == 0) return;
  const std::span<int64_t> values = scores.MutableValues();
  ignored_.ForEach([&](size_t node) { values[node] = 0; });
}

// Few nodes have pods of the kind that counts, so nearly all nodes of a domain have one score, and the exceptions are
// put right afterwards. Sums are made in the order of the constraints, or else the last bit might differ.
void SpreadScores::WriteByDomain(ScoreColumn& scores) const {
  const SpreadScore* by_host = nullptr;
  const SpreadScore* by_domain = nullptr;
  for (const SpreadScore& part : parts_) (part.is_hostname ? by_host : by_domain) = &part;
  const auto score = [&](size_t slot, int64_t pods_on_host) {
    double sum = 0;
    for (const SpreadScore& part : parts_) {
      sum += &part == by_host ? part.For(pods_on_host) : part.of_domain[slot];
    }
    return Rounded(sum);
  };

  if (by_domain == nullptr) {
    scores.SetAll(score(0, 0));
  } else {
    WriteTable(*by_domain->column, score, scores);
  }
  if (by_host == nullptr || by_host->on_node == nullptr || by_host->on_node->total() == 0) return;
  const std::span<int64_t> values = scores.MutableValues();
  by_host->on_node->ForEach([&](NodeId node, int32_t pods) {
    values[node] = score(by_domain != nullptr ? SlotOf(*by_domain->column, node) : 0, pods);
  });
}

double SpreadScores::SumOver(NodeId node) const {
  double sum = 0;
  for (const SpreadScore& part : parts_) {
    const size_t slot = SlotOf(*part.column, node);
    if (!part.is_hostname) {
      sum += part.of_domain[slot];
    } else if (slot != 0) {
      sum += part.For(part.on_node != nullptr ? part.on_node->Get(node) : 0);
    }
  }
  return sum;
}

ScoreRange SpreadScores::RangeOfOthers(const ScoreColumn& scores) const {
  ScoreRange range{std::numeric_limits<int64_t>::max(), 0};
  for (const NodeId node : scores.feasible()) {
    if (IsIgnored(node)) continue;
    range.lowest = std::min(range.lowest, scores.Get(node));
    range.highest = std::max(range.highest, scores.Get(node));
  }
  return range;
}

void SpreadScores::Normalize(ScoreColumn& scores) const {
  const auto [lowest, highest] = ignored_.size() == 0 ? RangeOf(scores) : RangeOfOthers(scores);
  if (highest <= 0) {
    scores.SetAll(kMaxNodeScore);
  } else {
    TransformScores(scores, [sum = highest + lowest, highest = highest](int64_t score) {
      return kMaxNodeScore * (sum - score) / highest;
    });
  }
  if (ignored_.size() == 0) return;
  const std::span<int64_t> values = scores.MutableValues();
  ignored_.ForEach([&](size_t node) { values[node] = 0; });
}

}  // namespace berth::plugins::spread
