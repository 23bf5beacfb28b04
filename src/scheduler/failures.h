// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/extension_points/post_filter.h"
#include "framework/status.h"
#include "queue/queued_pod.h"
#include "runtime/profile.h"
#include "scheduler/decide.h"
#include "scheduler/engine_state.h"

#include <string>
#include <vector>

namespace berth::scheduler {

// Why an attempt failed, as the queue, users and metrics are told.
struct Failure {
  bool rejected = false;               // a verdict; otherwise an error
  std::vector<std::string> rejectors;  // none: the pod is tried again by error backoff alone
  std::vector<std::string> pending;
  std::string message;
  framework::PostFilterResult::Mode nominating = framework::PostFilterResult::Mode::Override;
  std::string nominated_node;  // with Override: "" takes an earlier promise back
  Duration took{};
};

Failure FailureOf(const Decision& decision, Duration took);
// Reserve or Permit said no. A verdict on the chosen node alone reads like one on all nodes of a cluster of one.
Failure FailureAtNode(const framework::Status& status, Duration took);
// PreBind or Bind failed. From there on nothing makes a pod unschedulable: whatever the status, the pod backs off and
// is tried again.
Failure FailureWhileBinding(const framework::Status& status, Duration took);

// What becomes of a pod that could not be placed or bound: back to the queue, and users are told why. Engine thread
// only.
class FailureHandler {
 public:
  explicit FailureHandler(EngineState& engine) : engine_(engine) {}

  void Fail(queue::QueuedPodPtr queued, const runtime::Profile& profile, const Failure& failure);
  // The pod is gone, or on a node by somebody else's doing: there is nothing to try again. Whether users are told of
  // the failure is for the caller to say.
  void Abandon(const framework::PodInfo& pod, const runtime::Profile& profile, const Failure& failure, bool is_told);

 private:
  void Count(const runtime::Profile& profile, const Failure& failure);
  // What is to change in the pod's status; empty when it says everything already, unless the last patch was lost.
  static home::PatchPodStatus StatusPatchFor(const api::PodPtr& pod, const Failure& failure, bool was_lost);

  EngineState& engine_;
};

}  // namespace berth::scheduler
