// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>

namespace berth::cluster {

struct NodeSet {
  api::NodePtr node;
};
struct NodeRemoved {
  std::string name;
};
struct PodPlaced {
  framework::PodInfoPtr pod;
  std::string node_name;
};
struct PodRemoved {
  std::string uid;
};
struct ObjectSet {
  api::Object object;
};
struct ObjectRemoved {
  std::string kind;
  std::string key;
};

// One change of the cluster. Revisions count from 1 without gaps.
struct Change {
  uint64_t revision = 0;
  framework::NodeId node = framework::kNoNode;  // the row it touched, if any
  std::variant<NodeSet, NodeRemoved, PodPlaced, PodRemoved, ObjectSet, ObjectRemoved> what;
  uint64_t cycle = 0;  // how many scheduling cycles had begun
};

// The latest changes of the cluster, oldest first: whoever caches something derived from it catches up from here. Few
// are kept, for each may hold an object that is long gone.
class Journal {
 public:
  explicit Journal(size_t capacity = 4'096) : capacity_(capacity) {}

  uint64_t Append(framework::NodeId node, decltype(Change::what) what);
  uint64_t revision() const { return revision_; }

  // How many scheduling cycles have begun: changes are told apart by the cycle that sees them first.
  uint64_t cycle() const { return cycle_; }
  void BeginCycle() { ++cycle_; }
  // Counts on from another journal's count, where that is ahead.
  void CatchUpTo(uint64_t cycle) { cycle_ = std::max(cycle_, cycle); }

  // Calls f(change) for every change after `revision`. Says false, and calls nothing, when some are gone already: then
  // only a fresh look at the cluster helps.
  template <typename F>
  bool Since(uint64_t revision, F&& f) const {
    const uint64_t oldest_known = revision_ - changes_.size();
    if (revision < oldest_known) return false;
    for (size_t i = static_cast<size_t>(revision - oldest_known); i < changes_.size(); ++i) f(changes_[i]);
    return true;
  }

 private:
  size_t capacity_;
  uint64_t revision_ = 0;
  uint64_t cycle_ = 0;
  std::deque<Change> changes_;
};

}  // namespace berth::cluster
