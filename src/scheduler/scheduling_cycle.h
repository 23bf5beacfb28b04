// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "runtime/cycle.h"
#include "scheduler/attempts.h"
#include "scheduler/cluster_updates.h"
#include "scheduler/consultations.h"
#include "scheduler/decide.h"
#include "scheduler/decision_log.h"
#include "scheduler/engine_state.h"
#include "scheduler/evictions.h"
#include "scheduler/failures.h"
#include "scheduler/held_cycle.h"
#include "scheduler/node_sampling.h"
#include "scheduler/repeated_failures.h"

#include <chrono>
#include <memory>
#include <vector>

namespace berth::scheduler {

// From a pod that is ready to a decision: takes the next pod out of the queue, decides, writes the decision down, and
// sends the pod on its way or back. Engine thread only.
class SchedulingCycle {
 public:
  // The profiles are built already. Everything lent outlives this.
  SchedulingCycle(EngineState& engine, Attempts& attempts, FailureHandler& failures, Evictions& evictions,
                  ClusterUpdates& updates, HeldCycle& held, Consultations& consultations);

  // Tries the next pod, or goes on with one that extenders have answered about; says false when there is none, or while
  // the last one's cycle is held.
  bool RunOne();
  DecisionLog& log() { return log_; }
  const DecisionLog& log() const { return log_; }

 private:
  bool Begin(queue::QueuedPodPtr queued, const runtime::Profile& profile);
  // Decides, and ends the cycle or holds it. `consultation` is null when no extender has a say.
  void Run(queue::QueuedPodPtr queued, const runtime::Profile& profile, std::unique_ptr<Consultation> consultation,
           std::chrono::steady_clock::time_point started);
  void GoOn(Consultations::Ready ready);
  Decision DecideOn(const queue::QueuedPod& queued, const runtime::Profile& profile, Consultation* consultation,
                    std::vector<runtime::PluginScores>& scores);
  void Write(const queue::QueuedPod& queued, const runtime::Profile& profile, const Decision& decision,
             const std::vector<runtime::PluginScores>& scores, Duration took);
  void LogScores(const api::Pod& pod, const std::vector<runtime::PluginScores>& scores) const;

  EngineState& engine_;
  Attempts& attempts_;
  FailureHandler& failures_;
  Evictions& evictions_;
  ClusterUpdates& updates_;
  HeldCycle& held_;
  Consultations& consultations_;
  std::vector<std::unique_ptr<NodeSampling>> samplings_;  // by profile; null where every node is scored
  // The same for pods that extenders have a say in: upstream's share unless the configuration wants all nodes.
  std::vector<std::unique_ptr<NodeSampling>> extender_samplings_;
  runtime::Cycle cycle_;
  Rng rng_;
  DecisionLog log_;
  RepeatedFailures repeated_;
};

}  // namespace berth::scheduler
