// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extension_points/bind.h"
#include "framework/extension_points/pre_bind.h"
#include "remote/fallback.h"
#include "remote/plugin_calls.h"

namespace berth::remote {

// PreBind and Bind of a remote plugin. Neither waits: answers are awaited as any other work is. PreBindPreFlight does.
class RemoteBinding final : public framework::PreBindPlugin, public framework::BindPlugin {
 public:
  // `fallback` may be null. Both outlive this.
  RemoteBinding(PluginCalls& calls, const Fallback* fallback) : calls_(calls), fallback_(fallback) {}

  framework::PreFlightResult PreBindPreFlight(framework::CycleState& state, const framework::PodInfo& pod,
                                              std::string_view node) override;
  framework::BindingProgress PreBind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                                     const framework::Wake& wake, framework::BindingWork& work) override;
  framework::BindingProgress Bind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                                  const framework::Wake& wake, framework::BindWork& work) override;

 private:
  Result<framework::PreFlightResult> AskPreFlight(uint64_t cycle, const framework::PodInfo& pod, std::string_view node);

  PluginCalls& calls_;
  const Fallback* const fallback_;
};

}  // namespace berth::remote
