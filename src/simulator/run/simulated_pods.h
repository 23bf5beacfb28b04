// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/string_map.h"
#include "framework/resource.h"
#include "store/record.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace berth::simulator {

// How a pod left the cluster.
enum class PodFate : uint8_t { Ended, Preempted, Evicted, Lost, Deleted };

// A pod of a run; kept after it is gone.
struct SimulatedPod {
  enum class State : uint8_t {
    Pending,
    Running,
    Stranded,  // its node is gone, but it is not deleted yet
    Over,
  };
  static constexpr uint32_t kNoWorkload = UINT32_MAX;

  size_t number = 0;  // in the table
  store::Key key;
  std::string uid;
  uint32_t workload = kNoWorkload;
  uint64_t ordinal = 0;   // in its workload
  uint32_t replaced = 0;  // how many predecessors it replaces, one after the other
  std::optional<Duration> lifetime;
  std::shared_ptr<const framework::ResourceAmounts> requests;
  State state = State::Pending;
  Timestamp arrived;
  Timestamp bound;
  std::string node;
  int attempts = 0;
  std::string reason;   // of the latest attempt, if it failed
  std::string message;  // likewise
};

// The pods of a run. References stay valid.
class SimulatedPods {
 public:
  // Adds a pending pod.
  SimulatedPod& Add(store::Key key);
  // The pod of that name that is not over; null when there is none.
  SimulatedPod* Find(std::string_view ns, std::string_view name);
  SimulatedPod* Find(const store::Key& key) { return Find(key.namespace_, key.name); }
  SimulatedPod& at(size_t number) { return pods_[number]; }
  const std::deque<SimulatedPod>& all() const { return pods_; }
  // The workload's pods that are not over, in order of arrival.
  std::vector<SimulatedPod*> Living(uint32_t workload);
  // The pods on the node, in order of arrival.
  std::vector<SimulatedPod*> On(std::string_view node);
  size_t CountOn(std::string_view node) const;

  void Bind(SimulatedPod& pod, std::string_view node);
  void Strand(SimulatedPod& pod);
  void End(SimulatedPod& pod);

 private:
  void LeaveNode(const SimulatedPod& pod);

  std::deque<SimulatedPod> pods_;
  StringMap<size_t> by_name_;            // "namespace/name" of those that are not over
  StringMap<std::set<size_t>> by_node_;  // of those that run
};

}  // namespace berth::simulator
