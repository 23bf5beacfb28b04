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

// How far a run has come.
struct RunProgress {
  Timestamp now;
  double share = 0;  // of the run, from 0 to 1; 0 when its end is not known
  uint64_t decisions = 0;
  int64_t running = 0;
  int64_t pending = 0;
};

// Whoever wants to know what goes on. Each may be empty.
struct RunListener {
  // An input that was committed now; `step` tells which were committed together.
  std::function<void(uint64_t step, Timestamp at, const Input& input)> input;
  std::function<void(const scheduler::DecisionRecord& decision)> decision;
  // Everything of this moment is done. An error ends the run with it.
  std::function<Result<void>(const RunProgress& progress)> moment;
};

// The moment a scenario starts at: its own, or the latest that its objects mention, or the first of 2026.
Timestamp StartOf(const Scenario& scenario, const api::Manifests& objects);

// Lets a scenario happen: what it does is written to the store at its time, the scheduler does what it would do, and
// the clock jumps to whatever comes next. The run ends before the scenario's end; without one, when nothing is left to
// happen and pods that are pending have been tried again since.
//
// Use it once. One thread.
class VirtualRun {
 public:
  // Everything lent outlives the run. The setup's seed is that of the scenario's chances, too.
  VirtualRun(const Scenario& scenario, const api::Manifests& objects, const SchedulerSetup& setup,
             RunListener listener);
  VirtualRun(const VirtualRun&) = delete;
  VirtualRun& operator=(const VirtualRun&) = delete;

  Result<RunReport> Run();
  // After the run: when it was over, since the start. Nothing of that moment belongs to the run.
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
