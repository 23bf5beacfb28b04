// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "framework/extension_points/permit.h"
#include "framework/extension_points/post_bind.h"
#include "framework/extension_points/reserve.h"
#include "remote/fallback.h"
#include "remote/plugin_calls.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace berth::remote {

// Reserve, Permit and PostBind of a remote plugin.
class RemoteReserve final : public framework::ReservePlugin,
                            public framework::PermitPlugin,
                            public framework::PostBindPlugin {
 public:
  // `fallback` may be null. Both outlive this.
  RemoteReserve(PluginCalls& calls, const Fallback* fallback) : calls_(calls), fallback_(fallback) {}

  framework::Status Reserve(framework::CycleState& state, const framework::PodInfo& pod,
                            std::string_view node) override;
  void Unreserve(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) override;
  framework::PermitResult Permit(framework::CycleState& state, const framework::PodInfo& pod,
                                 std::string_view node) override BERTH_EXCLUDES(mutex_);
  void PostBind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) override;

  // What the plugin has decided about a pod that waits. Any thread.
  Delivery Deliver(const wire::PermitVerdict& verdict) BERTH_EXCLUDES(mutex_);

 private:
  struct Waiting {
    std::string uid;
    uint64_t cycle = 0;
  };

  Result<framework::Status> AskReserve(uint64_t cycle, const framework::PodInfo& pod, std::string_view node);
  Result<framework::PermitResult> AskPermit(uint64_t cycle, const framework::PodInfo& pod, std::string_view node)
      BERTH_EXCLUDES(mutex_);
  void ForgetWaiting(std::string_view uid) BERTH_EXCLUDES(mutex_);

  PluginCalls& calls_;
  const Fallback* const fallback_;
  Mutex mutex_;
  std::map<uint64_t, Waiting> waiting_ BERTH_GUARDED_BY(mutex_);  // by the pod's number: asked, or waiting
};

}  // namespace berth::remote
