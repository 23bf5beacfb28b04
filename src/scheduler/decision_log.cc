// SPDX-License-Identifier: Apache-2.0
#include "scheduler/decision_log.h"

#include "api/time_text.h"
#include "base/short_array.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::scheduler {

namespace {

std::string_view OutcomeName(Decision::Outcome outcome) {
  switch (outcome) {
    case Decision::Outcome::Placed: return "placed";
    case Decision::Outcome::Unschedulable: return "unschedulable";
    case Decision::Outcome::Error: break;
  }
  return "error";
}

}  // namespace

std::vector<std::string> DecisionRecord::NodesOf(const Rejection& rejection, size_t limit) const {
  std::vector<std::string> names;
  rejection.nodes.ForEach([&](size_t id) {
    if (names.size() < limit && node_names != nullptr && id < node_names->size()) names.push_back((*node_names)[id]);
  });
  return names;
}

bool DecisionRecord::Names(const Bitset& nodes_by_number, std::string_view name) const {
  bool found = false;
  nodes_by_number.ForEach(
      [&](size_t id) { found |= node_names != nullptr && id < node_names->size() && (*node_names)[id] == name; });
  return found;
}

bool DecisionRecord::IsBest(std::string_view name) const { return Names(best, name); }

std::string DecisionRecord::WhyNot(std::string_view name) const {
  if (IsBest(name)) return {};
  for (const Rejection& rejection : rejections) {
    if (Names(rejection.nodes, name)) return fmt::format("{}: {}", rejection.plugin, rejection.reasons);
  }
  const auto scored = std::ranges::find(top, name, &ScoredNode::node);
  if (scored != top.end()) return fmt::format("it scored {} here, {} scored {}", scored->total, node, score);
  return fmt::format("it scored less than {} here", score);
}

namespace {

void DescribeRejections(const runtime::Cycle& cycle, DecisionRecord& record) {
  const std::span<const framework::Status> table = cycle.verdicts.table();
  const size_t nodes = cycle.verdicts.passing().size();
  const std::vector<size_t>& counts = cycle.verdicts.Counts();
  ShortArray<size_t, 64> place(table.size(), 0);
  size_t used = 0;
  // What the record held of an earlier decision is used again for its memory.
  for (size_t id = 1; id < table.size(); ++id) {
    if (counts[id] == 0) continue;
    if (used == record.rejections.size()) record.rejections.emplace_back();
    DecisionRecord::Rejection& rejection = record.rejections[used];
    rejection.plugin = table[id].plugin();
    rejection.reasons.clear();
    table[id].AppendMessage(rejection.reasons);
    rejection.nodes.Resize(nodes);
    rejection.nodes.ResetAll();
    place[id] = ++used;
  }
  record.rejections.resize(used);
  if (used == 0) return;
  for (size_t node = 0; node < nodes; ++node) {
    const size_t at = place[cycle.verdicts.IdOf(static_cast<framework::NodeId>(node))];
    if (at != 0) record.rejections[at - 1].nodes.Set(node);
  }
}

void DescribeTop(const runtime::Cycle& cycle, const framework::ClusterView& cluster,
                 const std::vector<runtime::PluginScores>& scores, framework::NodeId chosen, DecisionRecord& record) {
  constexpr size_t kTop = 3;
  if (scores.empty()) return;
  std::vector<size_t> order(cycle.feasible.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t count = std::min(kTop, order.size());
  // The chosen one comes before its equals.
  const auto rank = [&](size_t i) { return std::tuple(-cycle.totals[i], cycle.feasible[i] != chosen, i); };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](size_t a, size_t b) { return rank(a) < rank(b); });
  for (size_t i = 0; i < count; ++i) {
    DecisionRecord::ScoredNode node{cluster.node(cycle.feasible[order[i]]).name(), cycle.totals[order[i]], {}};
    for (const runtime::PluginScores& said : scores) node.parts.emplace_back(said.plugin, said.weighted[order[i]]);
    record.top.push_back(std::move(node));
  }
  record.best.Resize(cluster.node_slots());
  for (size_t i = 0; i < cycle.feasible.size(); ++i) {
    if (cycle.totals[i] == record.score) record.best.Set(cycle.feasible[i]);
  }
}

}  // namespace

void DescribeDecision(const Decision& decision, const runtime::Cycle& cycle, const framework::ClusterView& cluster,
                      const std::vector<runtime::PluginScores>& scores, DecisionRecord& record) {
  record.outcome = decision.outcome;
  record.score = decision.score;
  record.best_count = decision.best_count;
  record.feasible = cycle.feasible.size();
  record.nodes = cluster.node_count();
  record.message = decision.message;
  record.rejectors = decision.rejectors;
  record.nominated_node = decision.post_filter.nominated_node;
  record.top.clear();
  record.best = Bitset();
  record.node.clear();
  if (decision.outcome == Decision::Outcome::Placed) record.node = cluster.node(decision.node).name();
  const bool found_nothing = decision.outcome == Decision::Outcome::Error || cluster.node_count() == 0;
  if (found_nothing || cycle.feasible.size() == cluster.node_count()) {
    record.rejections.clear();
  } else {
    DescribeRejections(cycle, record);
  }
  if (found_nothing) return;
  DescribeTop(cycle, cluster, scores, decision.node, record);
}

std::string ToLine(const DecisionRecord& record) {
  std::string line = fmt::format("{} {} {} attempt={} {}", record.sequence, record.time.time_since_epoch().count(),
                                 record.pod, record.attempt, OutcomeName(record.outcome));
  if (record.outcome == Decision::Outcome::Placed) {
    line += fmt::format(" node={} score={} best={} feasible={}/{}", record.node, record.score, record.best_count,
                        record.feasible, record.nodes);
    return line;
  }
  line += fmt::format(" rejectors={}", fmt::join(record.rejectors, ","));
  if (!record.nominated_node.empty()) line += fmt::format(" nominated={}", record.nominated_node);
  return line + " " + record.message;
}

DecisionLog::DecisionLog(size_t capacity) : capacity_(std::max<size_t>(capacity, 1)) {}

DecisionRecord& DecisionLog::NextPlace() {
  if (ring_.size() < capacity_) ring_.emplace_back();
  DecisionRecord& record = ring_[total_ % capacity_];
  record.sequence = ++total_;
  return record;
}

std::vector<const DecisionRecord*> DecisionLog::InOrder() const {
  std::vector<const DecisionRecord*> records;
  for (const DecisionRecord& record : ring_) records.push_back(&record);
  std::ranges::sort(records, {}, [](const DecisionRecord* record) { return record->sequence; });
  return records;
}

std::vector<DecisionRecord> DecisionLog::OfPod(std::string_view pod) const {
  const MutexLock lock(mutex_);
  std::vector<DecisionRecord> found;
  for (const DecisionRecord* record : InOrder()) {
    if (record->uid == pod || record->pod == pod) found.push_back(*record);
  }
  return found;
}

std::vector<DecisionRecord> DecisionLog::Latest(size_t count) const {
  const MutexLock lock(mutex_);
  const std::vector<const DecisionRecord*> records = InOrder();
  std::vector<DecisionRecord> latest;
  for (size_t i = records.size() - std::min(count, records.size()); i < records.size(); ++i) {
    latest.push_back(*records[i]);
  }
  return latest;
}

void DecisionLog::ForEach(const std::function<void(const DecisionRecord&)>& visit) const {
  const MutexLock lock(mutex_);
  for (const DecisionRecord* record : InOrder()) visit(*record);
}

uint64_t DecisionLog::total() const {
  const MutexLock lock(mutex_);
  return total_;
}

}  // namespace berth::scheduler
