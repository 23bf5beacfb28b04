// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/manifest.h"
#include "base/result.h"
#include "simulator/run/cluster_writer.h"
#include "simulator/run/pod_watch.h"
#include "simulator/run/run_report.h"
#include "simulator/run/simulated_cluster.h"
#include "simulator/run/virtual_scheduler.h"
#include "simulator/scenario/event_plan.h"
#include "simulator/scenario/scenario.h"
#include "simulator/volume_controller.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::simulator {

// The progress of a run.
struct RunProgress {
  Timestamp now;
  double share = 0;  // of the run, from 0 to 1; 0 when its end is unknown
  uint64_t decisions = 0;
  int64_t running = 0;
  int64_t pending = 0;
};

// Callbacks during a run. Each may be empty.
struct RunListener {
  // An input was committed; those committed together have the same `step`.
  std::function<void(uint64_t step, Timestamp at, const Input& input)> input;
  std::function<void(const scheduler::DecisionRecord& decision)> decision;
  // Everything at this moment is done. An error ends the run with that error.
  std::function<Result<void>(const RunProgress& progress)> moment;
};

// A scenario's start time: its own, or the latest that its objects mention, or 2026-01-01T00:00:00Z.
Timestamp StartOf(const Scenario& scenario, const api::Manifests& objects);

// Runs a scenario: its actions are written to the store when they are due, the scheduler reacts as it would in reality,
// and the clock jumps to the next event. The run ends when the scenario's duration is reached, which is exclusive;
// without a duration, when no events are left and pending pods have been retried since the last change.
//
// Use it once. One thread.
class VirtualRun {
 public:
  // All but the listener must outlive the run. The setup's seed also drives the scenario's random choices.
  VirtualRun(const Scenario& scenario, const api::Manifests& objects, const SchedulerSetup& setup,
             RunListener listener);
  VirtualRun(const VirtualRun&) = delete;
  VirtualRun& operator=(const VirtualRun&) = delete;

  Result<RunReport> Run();
  // Call after the run: the time from the start to the end, which is exclusive.
  Duration Ended() const;

 private:
  Result<void> Begin();
  Result<void> LiveThroughMoment();
  Result<void> Observe();
  bool Jump();
  RunReport Finish();

  Result<void> DoWhatIsDue();
  void Do(const PlannedAction& action);
  void Do(const EventAction& action, uint64_t chance);
  void DoExit(const ExitNode& exit, uint64_t chance);
  void DoScale(const ScaleWorkload& scale);
  std::vector<std::string> Chosen(const NodeTarget& target, uint64_t chance, std::optional<bool> cordoned) const;
  std::vector<SimulatedPod*> Chosen(const PodTarget& target);

  const Scenario& scenario_;
  const api::Manifests& objects_;
  const SchedulerSetup& setup_;
  const RunListener listener_;
  const Timestamp start_;
  const Timestamp end_;
  EventPlan plan_;
  std::unique_ptr<VirtualScheduler> scheduler_;
  std::unique_ptr<ClusterWriter> writer_;
  std::unique_ptr<SimulatedCluster> cluster_;
  std::unique_ptr<VolumeController> volumes_;
  std::optional<PodWatch> pod_watch_;
  uint64_t step_ = 0;
  Timestamp last_change_;
};

}  // namespace berth::simulator
