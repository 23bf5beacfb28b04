// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/run_statistics.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::simulator {

using scheduler::Decision;
using State = SimulatedPod::State;

namespace {

constexpr const char* kErrorReason = "error";
constexpr const char* kWaitReason = "waits at Permit";

LatencySummary Summed(std::vector<Duration> latencies) {
  LatencySummary summary;
  summary.pods = latencies.size();
  if (latencies.empty()) return summary;
  std::ranges::sort(latencies);
  // The smallest latency not exceeded by at least this percentage of pods.
  const auto at = [&](size_t percent) { return latencies[(latencies.size() * percent + 99) / 100 - 1]; };
  summary.p50 = at(50);
  summary.p90 = at(90);
  summary.p99 = at(99);
  summary.max = latencies.back();
  return summary;
}

}  // namespace

std::string_view NameOf(NodeEvent::What what) {
  switch (what) {
    case NodeEvent::What::Joined: return "joined";
    case NodeEvent::What::Left: return "left";
    case NodeEvent::What::Died: return "died";
    case NodeEvent::What::Drained: return "drained";
    case NodeEvent::What::Cordoned: return "cordoned";
    case NodeEvent::What::Uncordoned: break;
  }
  return "uncordoned";
}

RunStatistics::RunStatistics(const Scenario& scenario, Timestamp start, const framework::ResourceNames& names)
    : scenario_(scenario), now_(start), use_(start, names) {
  report_.scenario = scenario.name;
  report_.start = start;
  for (uint32_t i = 0; i < scenario.workloads.size(); ++i) groups_[i];
}

void RunStatistics::Pass(Timestamp now) {
  use_.Pass(now);
  now_ = now;
}

void RunStatistics::NodeIsThere(const NodeSize& size) {
  ClusterUse& use = use_.use();
  use.allocatable.Add(size.allocatable);
  use.allowed_pods += size.pods;
  ++use.nodes;
}

void RunStatistics::NodeIsGone(const NodeSize& size) {
  ClusterUse& use = use_.use();
  use.allocatable.Subtract(size.allocatable);
  use.allowed_pods -= size.pods;
  --use.nodes;
}

void RunStatistics::Note(NodeEvent::What what, const std::string& node, uint64_t pods) {
  std::vector<NodeEvent>& events = report_.node_events;
  if (events.empty() || events.back().at != now_ || events.back().what != what) events.push_back({now_, what, {}, 0});
  events.back().nodes.push_back(node);
  events.back().pods += pods;
}

void RunStatistics::PodArrived(const SimulatedPod& pod) {
  Count(pod, [](PodCounts& counts) { ++counts.arrived; });
  ++use_.happenings().arrived;
  ++use_.use().pending;
}

void RunStatistics::PodWasThere(const SimulatedPod& pod) {
  ++use_.use().running;
  use_.use().requested.Add(*pod.requests);
}

void RunStatistics::PodBound(const SimulatedPod& pod) {
  Count(pod, [](PodCounts& counts) { ++counts.bound; });
  groups_[pod.workload].latencies.push_back(now_ - pod.arrived);
  ++use_.happenings().bound;
  --use_.use().pending;
  ++use_.use().running;
  use_.use().requested.Add(*pod.requests);
}

void RunStatistics::PodStranded(const SimulatedPod& pod) {
  StopsRunning(pod);
  Count(pod, [](PodCounts& counts) { ++counts.lost; });
  ++use_.happenings().disrupted;
}

void RunStatistics::StopsRunning(const SimulatedPod& pod) {
  --use_.use().running;
  use_.use().requested.Subtract(*pod.requests);
}

void RunStatistics::PodIsOver(const SimulatedPod& pod, State before, PodFate fate) {
  if (before == State::Stranded) return;  // already counted when it lost its node
  if (before == State::Pending) --use_.use().pending;
  if (before == State::Running) StopsRunning(pod);
  Count(pod, [&](PodCounts& counts) {
    switch (fate) {
      case PodFate::Ended: ++counts.ended; break;
      case PodFate::Preempted: ++counts.preempted; break;
      case PodFate::Evicted: ++counts.evicted; break;
      case PodFate::Lost: ++counts.lost; break;
      case PodFate::Deleted: ++counts.deleted; break;
    }
  });
  Happenings& happenings = use_.happenings();
  if (fate == PodFate::Ended) {
    ++happenings.ended;
  } else if (fate != PodFate::Deleted) {
    ++happenings.disrupted;
  }
}

void RunStatistics::PodReplaced(const SimulatedPod& by) {
  Count(by, [](PodCounts& counts) { ++counts.replaced; });
}

void RunStatistics::Decided(const scheduler::DecisionRecord& decision, SimulatedPod* pod) {
  ++report_.attempts;
  if (pod == nullptr) return;
  pod->attempts = decision.attempt;
  if (decision.outcome == Decision::Outcome::Placed) {
    pod->reason.clear();
    pod->message.clear();
    return;
  }
  pod->reason = decision.rejectors.empty() ? kErrorReason : fmt::format("{}", fmt::join(decision.rejectors, ", "));
  pod->message = decision.message;
  Reason& reason = reasons_[pod->reason];
  ++reason.described.attempts;
  reason.described.message = decision.message;
  reason.pods.insert(pod->number);
}

RunReport RunStatistics::Finish(Timestamp end, const SimulatedPods& pods, const std::set<size_t>& gated) {
  Pass(end);
  report_.end = end;
  report_.nodes = static_cast<uint64_t>(use_.use().nodes);
  for (const SimulatedPod& pod : pods.all()) {
    Count(pod, [&](PodCounts& counts) {
      if (pod.state == State::Running) ++counts.running;
      if (pod.state == State::Pending) ++(gated.contains(pod.number) ? counts.gated : counts.pending);
    });
  }
  use_.Describe(report_);
  DescribePending(pods, gated);
  DescribeWorkloads();
  return std::move(report_);
}

void RunStatistics::DescribePending(const SimulatedPods& pods, const std::set<size_t>& gated) {
  for (const SimulatedPod& pod : pods.all()) {
    if (pod.state != State::Pending) continue;
    PendingPod pending;
    pending.pod = pod.key.namespace_ + "/" + pod.key.name;
    if (pod.workload != SimulatedPod::kNoWorkload) pending.workload = scenario_.workloads[pod.workload].name;
    pending.arrived = pod.arrived;
    pending.attempts = pod.attempts;
    pending.gated = gated.contains(pod.number);
    pending.reason = pending.gated ? "gated" : pod.reason.empty() ? kWaitReason : pod.reason;
    pending.message = pod.message;
    if (const auto it = reasons_.find(pod.reason); !pending.gated && it != reasons_.end()) {
      ++it->second.described.pending;
    }
    report_.pending.push_back(std::move(pending));
  }
  std::ranges::stable_sort(report_.pending, {}, &PendingPod::arrived);
  for (auto& [name, reason] : reasons_) {
    reason.described.reason = name;
    reason.described.pods = reason.pods.size();
    report_.reasons.push_back(reason.described);
  }
  std::ranges::stable_sort(report_.reasons, std::greater<>(), &PendingReason::attempts);
}

void RunStatistics::DescribeWorkloads() {
  report_.pods = all_;
  std::vector<Duration> all;
  for (const auto& [workload, group] : groups_) {
    all.insert(all.end(), group.latencies.begin(), group.latencies.end());
    const bool named = workload != SimulatedPod::kNoWorkload;
    report_.workloads.push_back(
        {named ? scenario_.workloads[workload].name : std::string(), group.counts, Summed(group.latencies)});
  }
  report_.latency = Summed(std::move(all));
}

}  // namespace berth::simulator
