// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/resource.h"
#include "scheduler/decision_log.h"
#include "simulator/run/run_report.h"
#include "simulator/run/simulated_pods.h"
#include "simulator/run/use_over_time.h"
#include "simulator/scenario/scenario.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace berth::simulator {

// The capacity a node adds to the cluster.
struct NodeSize {
  framework::ResourceAmounts allocatable;
  int64_t pods = 0;
};

// Counts what happens in a run, and reports it. Time must not go backwards.
class RunStatistics {
 public:
  // The scenario and the names must outlive this object.
  RunStatistics(const Scenario& scenario, Timestamp start, const framework::ResourceNames& names);

  // Sets the time of the calls that follow.
  void Pass(Timestamp now);

  void NodeIsThere(const NodeSize& size);
  void NodeIsGone(const NodeSize& size);
  void Note(NodeEvent::What what, const std::string& node, uint64_t pods);

  void PodArrived(const SimulatedPod& pod);   // without a node
  void PodWasThere(const SimulatedPod& pod);  // created with a node: it does not arrive and is not bound
  void PodBound(const SimulatedPod& pod);
  void PodStranded(const SimulatedPod& pod);  // it was running, and its node is gone
  // `before` is its previous state.
  void PodIsOver(const SimulatedPod& pod, SimulatedPod::State before, PodFate fate);
  void PodReplaced(const SimulatedPod& by);
  // Also stores the reason in the pod; null when the pod is not tracked.
  void Decided(const scheduler::DecisionRecord& decision, SimulatedPod* pod);

  void Say(std::string note) { report_.notes.push_back(std::move(note)); }

  uint64_t bound() const { return all_.bound; }
  int64_t running() { return use_.use().running; }
  int64_t pending() { return use_.use().pending; }
  uint64_t decisions() const { return report_.attempts; }

  // `gated` are the numbers of the pods that a PreEnqueue plugin rejects.
  RunReport Finish(Timestamp end, const SimulatedPods& pods, const std::set<size_t>& gated);

 private:
  struct Group {
    PodCounts counts;
    std::vector<Duration> latencies;
  };
  struct Reason {
    PendingReason described;
    std::set<size_t> pods;
  };

  template <typename F>
  void Count(const SimulatedPod& pod, F&& change) {
    change(all_);
    change(groups_[pod.workload].counts);
  }
  void StopsRunning(const SimulatedPod& pod);
  void DescribePending(const SimulatedPods& pods, const std::set<size_t>& gated);
  void DescribeWorkloads();

  const Scenario& scenario_;
  Timestamp now_;
  RunReport report_;
  UseOverTime use_;
  PodCounts all_;
  std::map<uint32_t, Group> groups_;  // by workload
  std::map<std::string, Reason> reasons_;
};

}  // namespace berth::simulator
