// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/binding_work.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace berth::runtime {

class Profile;

// Bind of one pod: the profile's Bind plugins are asked in order, and the first that does not Skip decides. It never
// waits; whoever drives it passes answers on, and is told the outcome as soon as there is one. Engine thread only.
class BindRun {
 public:
  using Outcome = std::optional<framework::Status>;

  // Everything lent stays as it is until the outcome is known.
  Outcome Start(const Profile& profile, framework::CycleState& state, const framework::PodInfo& pod,
                std::string_view node, framework::BindWork& work);
  // Nothing while it goes on.
  Outcome Answer(framework::WorkTicket ticket, Result<std::string> answer);

 private:
  Outcome Call(const framework::Wake& wake);
  Outcome Finish(framework::Status status);

  const Profile* profile_ = nullptr;  // set while it goes on
  framework::CycleState* state_ = nullptr;
  const framework::PodInfo* pod_ = nullptr;
  std::string_view node_;
  framework::BindWork* work_ = nullptr;
  size_t place_ = 0;  // of the plugin that is asked, in the profile's list
  std::chrono::steady_clock::time_point started_;
};

}  // namespace berth::runtime
