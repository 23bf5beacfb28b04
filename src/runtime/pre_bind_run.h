// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "framework/binding_work.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "runtime/cycle.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace berth::runtime {

class ProfilePlugins;

// PreBind of one pod, group after group: neighbours that allow it run side by side, others alone. It never waits;
// whoever drives it passes on what the plugins wait for, and is told the outcome as soon as there is one: Success when
// all plugins have finished, or the first failure, after which no plugin is called again.
//
// Answer, Changed and Deadline return nothing while it goes on, and do nothing unless it does. Engine thread only.
class PreBindRun {
 public:
  using Outcome = std::optional<framework::Status>;

  PreBindRun() : work_(*this) {}
  // Plugins keep no reference to it, but the recorder it hands them refers back to it.
  PreBindRun(const PreBindRun&) = delete;
  PreBindRun& operator=(const PreBindRun&) = delete;

  // Everything lent stays as it is until the outcome is known, or Reset.
  Outcome Start(const ProfilePlugins& plugins, framework::CycleState& state, const framework::PodInfo& pod,
                std::string_view node, const PreBindPlan& plan, framework::BindingWork& work);
  // An answer to a plugin that has finished, or to nobody, is dropped.
  Outcome Answer(framework::WorkTicket ticket, Result<std::string> answer);
  // An object was changed, added or deleted.
  Outcome Changed(const framework::ObjectKey& object);
  Outcome Deadline(Timestamp now);

  // When Deadline is next of use, and for which objects Changed is; both may differ after every call above.
  std::optional<Timestamp> wake_at() const { return wake_at_; }
  std::span<const framework::ObjectKey> wake_on() const { return wake_on_; }
  bool is_running() const { return plugins_ != nullptr; }

  // Ends a run that goes on, which the metrics count as an error, and makes this ready for the next pod.
  void Reset();

 private:
  // One plugin of the current group.
  struct Member {
    uint32_t plugin = 0;
    bool finished = false;
    std::vector<framework::WorkTicket> tickets;  // unanswered
    std::optional<Timestamp> wake_at;
    std::vector<framework::ObjectKey> wake_on;
  };
  // Remembers who asked for what.
  class RecordingWork final : public framework::BindingWork {
   public:
    explicit RecordingWork(PreBindRun& run) : run_(run) {}
    framework::WorkTicket Patch(framework::ObjectPatch patch) override;
    framework::WorkTicket RunElsewhere(std::function<framework::Status(const std::stop_token& stop)> work) override;
    framework::WorkTicket Await(const std::function<void(TakeAnswer take)>& begin) override;

   private:
    framework::WorkTicket Record(framework::WorkTicket ticket);
    PreBindRun& run_;
  };

  void TakeNextGroup();
  // Calls those of the group that `is_meant`, and begins the next group when all of this one have finished.
  template <typename IsMeant>
  Outcome Wake(const framework::Wake& wake, const IsMeant& is_meant);
  Outcome GoOn();
  Outcome Call(Member& member, const framework::Wake& wake);
  Outcome Finish(framework::Status status);
  void GatherWakes();
  void TellMetrics(const Member& member, framework::Code code) const;

  // Set while it goes on.
  const ProfilePlugins* plugins_ = nullptr;
  framework::CycleState* state_ = nullptr;
  const framework::PodInfo* pod_ = nullptr;
  std::string_view node_;
  const PreBindPlan* plan_ = nullptr;
  framework::BindingWork* lent_work_ = nullptr;

  RecordingWork work_;
  std::vector<Member> members_;  // the first group_size_ are the current group; the rest are kept for their memory
  size_t group_size_ = 0;
  size_t next_ = 0;           // the place in the profile's list where the next group begins
  Member* called_ = nullptr;  // the one that is being called
  std::optional<Timestamp> wake_at_;
  std::vector<framework::ObjectKey> wake_on_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point group_started_;
};

}  // namespace berth::runtime
