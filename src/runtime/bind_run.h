// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "framework/binding_work.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace berth::runtime {

class ProfilePlugins;

// Bind of one pod: the profile's Bind plugins are asked in order, and the first that does not Skip decides. It never
// waits; whoever drives it passes on what the plugin waits for, and is told the outcome as soon as there is one.
//
// Answer, Changed and Deadline return nothing while it goes on, and do nothing unless it does. Engine thread only.
class BindRun {
 public:
  using Outcome = std::optional<framework::Status>;

  BindRun() : work_(*this) {}
  // The recorder that plugins are given refers back to this.
  BindRun(const BindRun&) = delete;
  BindRun& operator=(const BindRun&) = delete;

  // All arguments must stay valid until the outcome is known.
  Outcome Start(const ProfilePlugins& plugins, framework::CycleState& state, const framework::PodInfo& pod,
                std::string_view node, framework::BindWork& work);
  // An answer to a plugin that has Skipped, or to nobody, is dropped.
  Outcome Answer(framework::WorkTicket ticket, Result<std::string> answer);
  // An object was changed, added or deleted.
  Outcome Changed(const framework::ObjectKey& object);
  Outcome Deadline(Timestamp now);

  // When Deadline is next of use, and for which objects Changed is; both may differ after every call above.
  std::optional<Timestamp> wake_at() const { return wake_at_; }
  std::span<const framework::ObjectKey> wake_on() const { return wake_on_; }

 private:
  // Remembers what the plugin that is asked has asked for.
  class RecordingWork final : public framework::BindWork {
   public:
    explicit RecordingWork(BindRun& run) : run_(run) {}
    framework::WorkTicket Patch(framework::ObjectPatch patch) override;
    framework::WorkTicket RunElsewhere(std::function<framework::Status(const std::stop_token& stop)> work) override;
    framework::WorkTicket Await(const std::function<void(TakeAnswer take)>& begin) override;
    framework::WorkTicket Bind() override;

   private:
    framework::WorkTicket Record(framework::WorkTicket ticket);
    BindRun& run_;
  };

  Outcome Call(const framework::Wake& wake);
  Outcome Finish(framework::Status status);
  void AwaitNothing();

  const ProfilePlugins* plugins_ = nullptr;  // set while it goes on
  framework::CycleState* state_ = nullptr;
  const framework::PodInfo* pod_ = nullptr;
  std::string_view node_;
  framework::BindWork* given_work_ = nullptr;
  RecordingWork work_;
  size_t place_ = 0;                            // of the plugin that is asked, in the profile's list
  std::vector<framework::WorkTicket> tickets_;  // what it asked for and was not answered yet
  std::optional<Timestamp> wake_at_;
  std::vector<framework::ObjectKey> wake_on_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace berth::runtime
