// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "scheduler/decide.h"
#include "scheduler/node_names.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::scheduler {

// What one attempt to schedule a pod came to, kept for those who ask later.
struct DecisionRecord {
  // Nodes that one plugin turned down for the same reasons.
  struct Rejection {
    std::string plugin;
    std::string reasons;
    Bitset nodes;  // by their number in `node_names`
  };
  struct ScoredNode {
    std::string node;
    int64_t total = 0;
    std::vector<std::pair<std::string, int64_t>> parts;  // plugin, weighted score
  };

  uint64_t sequence = 0;  // of the log, from 1
  Timestamp time;
  uint64_t cluster_revision = 0;  // the state of the cluster it was made on
  std::string pod;                // namespace/name
  std::string uid;
  std::string profile;
  int attempt = 0;
  Decision::Outcome outcome = Decision::Outcome::Error;
  std::string node;
  int64_t score = 0;
  size_t best_count = 0;  // nodes that shared the highest total
  size_t feasible = 0;
  size_t nodes = 0;
  std::string message;
  std::vector<std::string> rejectors;
  std::string nominated_node;
  std::vector<Rejection> rejections;
  // Only when the engine records scores: some of the best nodes with their parts, and all that shared the highest
  // total.
  std::vector<ScoredNode> top;
  Bitset best;  // by their number in `node_names`
  std::shared_ptr<const NodeNames> node_names;
  Duration took{};  // of real time; not part of what makes two logs equal

  // Names of the nodes of a rejection, at most `limit`.
  std::vector<std::string> NodesOf(const Rejection& rejection, size_t limit) const;
  // Whether the node is among the best.
  bool IsBest(std::string_view name) const;
  // Why the node was not chosen; empty for the best.
  std::string WhyNot(std::string_view name) const;

 private:
  bool Names(const Bitset& nodes_by_number, std::string_view name) const;
};

// Writes what `decision` found into the record: outcome, rejections by plugin, best nodes.
void DescribeDecision(const Decision& decision, const runtime::Cycle& cycle, const framework::ClusterView& cluster,
                      const std::vector<runtime::PluginScores>& scores, DecisionRecord& record);

// The decision in one line, equal for equal decisions on every machine.
std::string ToLine(const DecisionRecord& record);

// The latest decisions, oldest first. The engine adds; anybody reads. A record's buffers are used again when its place
// is, so a full log adds nothing to the heap. Who fills or is told of a record is called under the log's lock, and must
// not ask the log.
class DecisionLog {
 public:
  explicit DecisionLog(size_t capacity);

  // Gives `fill` the record to write; its sequence is set, the rest holds whatever was there before.
  template <typename F>
  void Add(F&& fill) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    DecisionRecord& record = NextPlace();
    fill(record);
    if (sink_) sink_(record);
  }
  // Every decision is also told to `sink`, on the engine's thread. Before the engine starts.
  void SetSink(std::function<void(const DecisionRecord&)> sink) { sink_ = std::move(sink); }

  // The records of one pod (uid, or namespace/name), oldest first.
  std::vector<DecisionRecord> OfPod(std::string_view pod) const BERTH_EXCLUDES(mutex_);
  std::vector<DecisionRecord> Latest(size_t count) const BERTH_EXCLUDES(mutex_);
  // Oldest first. The log stands still meanwhile.
  void ForEach(const std::function<void(const DecisionRecord&)>& visit) const BERTH_EXCLUDES(mutex_);
  uint64_t total() const BERTH_EXCLUDES(mutex_);

 private:
  DecisionRecord& NextPlace() BERTH_REQUIRES(mutex_);
  std::vector<const DecisionRecord*> InOrder() const BERTH_REQUIRES(mutex_);

  std::function<void(const DecisionRecord&)> sink_;
  const size_t capacity_;
  mutable Mutex mutex_;
  std::vector<DecisionRecord> ring_ BERTH_GUARDED_BY(mutex_);
  uint64_t total_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::scheduler
