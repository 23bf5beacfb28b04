// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "base/clock.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "home/command.h"
#include "queue/queued_pod.h"
#include "runtime/bind_run.h"
#include "runtime/cycle.h"
#include "runtime/pre_bind_run.h"
#include "runtime/profile.h"
#include "scheduler/attempt_state.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace berth::scheduler {

// A pod that was given a node and is not known to be there yet. Engine thread only, but for work that runs elsewhere:
// while `elsewhere` counts any, plugins may read `state` on another thread.
struct Attempt {
  uint64_t number = 0;           // no other attempt has it
  queue::QueuedPodPtr queued;    // goes back to the queue when the attempt fails
  framework::PodInfoPtr pod;     // as it was decided on
  framework::PodInfoPtr latest;  // as its home last told; what is queued again
  const runtime::Profile* profile = nullptr;
  api::NodePtr node;
  size_t evaluated_nodes = 0;  // of which the node was chosen
  size_t feasible_nodes = 0;
  AttemptState progress;
  framework::CycleState state;
  runtime::PreBindPlan pre_bind;
  // Plugins at PreBind and Bind; made when first needed, kept with their buffers.
  std::unique_ptr<runtime::PreBindRun> pre_bind_run;
  std::unique_ptr<runtime::BindRun> bind_run;
  std::unique_ptr<framework::BindWork> services;  // what those plugins may ask for
  std::vector<framework::ObjectKey> woken_by;     // objects whose changes those plugins wait for
  std::optional<Timestamp> woken_at;              // when they are called whatever happens

  // Work that plugins asked for and that is not answered yet.
  struct Work {
    framework::WorkTicket ticket = 0;
    home::Ticket command = home::kNoTicket;  // kNoTicket: it runs elsewhere, or its answer is awaited
  };
  std::vector<Work> work;
  framework::WorkTicket last_ticket = 0;
  size_t elsewhere = 0;
  std::stop_source stop{std::nostopstate};  // asks work elsewhere to end; has a state only when there is some
  framework::Status failure;                // while Cancelling: what the attempt ends with

  home::Ticket binding = home::kNoTicket;         // the binding or the look-up that is under way
  framework::WorkTicket bind_work = 0;            // the Bind plugin's ticket for it; 0 when no plugin asked
  std::optional<framework::Status> bind_outcome;  // of a Bind plugin that ended before the work it had asked for
  int lost_answers = 0;                           // of bindings
  Timestamp decided;
  std::chrono::steady_clock::time_point started;
  std::chrono::steady_clock::time_point binding_since;

  std::string_view node_name() const { return node->meta.name; }
};

}  // namespace berth::scheduler
