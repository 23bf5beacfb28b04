// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "runtime/cycle.h"
#include "runtime/profile_plugins.h"

#include <map>
#include <string>
#include <string_view>

namespace berth::runtime {

// Reserve to PostBind of a profile: from a chosen node to a bound pod. PreBind and Bind take many calls and are classes
// of their own (pre_bind_run.h, bind_run.h).
//
// Everything is called on the engine thread, except RunPostBind, which runs on the work pool.
class BindingSteps {
 public:
  // `plugins` outlives this.
  explicit BindingSteps(const ProfilePlugins& plugins) : plugins_(plugins) {}

  framework::Status RunReserve(framework::CycleState& state, const framework::PodInfo& pod,
                               std::string_view node) const;
  void RunUnreserve(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;
  // On Wait, `waits` tells which plugins wait and for how long.
  framework::Status RunPermit(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                              std::map<std::string, Duration>& waits) const;
  // Success if any PreBind plugin has work to do, Skip if none has. `plan` tells PreBindRun which plugins have work,
  // and which may run in parallel.
  framework::Status RunPreBindPreFlight(framework::CycleState& state, const framework::PodInfo& pod,
                                        std::string_view node, PreBindPlan& plan) const;
  // The plan when nobody was asked: every PreBind runs, one after the other.
  void PlanAllOfPreBind(PreBindPlan& plan) const;
  void RunPostBind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;
  // Whether binding is nothing but writing the binding: then the caller may do so itself instead of running Bind.
  bool BindsAsDefault() const;
  // How Bind would have failed then.
  framework::Status DefaultBindFailure(const framework::Status& status) const;

 private:
  // What Run… do, not counting how long it takes.
  framework::Status Reserve(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;
  void Unreserve(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;
  framework::Status Permit(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                           std::map<std::string, Duration>& waits) const;
  framework::Status PreBindPreFlight(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                                     PreBindPlan& plan) const;
  void PostBind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;

  const ProfilePlugins& plugins_;
};

}  // namespace berth::runtime
