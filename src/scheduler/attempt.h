// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "queue/queued_pod.h"
#include "runtime/cycle.h"
#include "runtime/profile.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace berth::scheduler {

// A pod that was given a node and is not known to be there yet: it waits at Permit, or is being bound.
//
// The engine owns it. While it is Binding, `state` and `pre_bind` are the binding pool's, and the engine reads neither
// until BindingFinished comes back.
struct Attempt {
  enum class Stage : uint8_t { Permit, Binding };

  queue::QueuedPodPtr queued;    // goes back to the queue when the attempt fails
  framework::PodInfoPtr pod;     // as it was decided on
  framework::PodInfoPtr latest;  // as the store last told; what is queued again
  const runtime::Profile* profile = nullptr;
  std::string node;
  Stage stage = Stage::Binding;
  bool assumed = true;           // the cluster counts the pod on our word alone
  bool assigned = false;         // the store says that it has a node, ours or another's
  bool gone = false;             // the store has the pod no more
  bool has_pre_bind = false;     // PreBind has work to do
  bool needs_post_bind = false;  // PostBind is still to run should the binding turn out to have come through
  framework::CycleState state;
  runtime::PreBindPlan pre_bind;
  std::stop_source stop{std::nostopstate};  // asks PreBind to give up; has a state only while it may run
  Timestamp decided;
  std::chrono::steady_clock::time_point started;
};

}  // namespace berth::scheduler
