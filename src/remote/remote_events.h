// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extension_points/enqueue_extensions.h"
#include "remote/plugin_calls.h"

#include <deque>
#include <string>
#include <vector>

namespace berth::remote {

// When pods that a remote plugin rejected are worth another attempt, as it said when it greeted first: what it
// registers for later sessions has no effect. Where it asks to be asked, a hint is a call.
class RemoteEvents final : public framework::EnqueueExtensions {
 public:
  explicit RemoteEvents(PluginCalls& calls) : calls_(calls) {}

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  // Whether the plugin has said anything else than that any event will do.
  bool HasSaid() const;

 private:
  Result<framework::QueueingHint> Ask(uint32_t registration, const framework::PodInfo& pod, const api::Object* before,
                                      const api::Object* after) const;

  PluginCalls& calls_;
  mutable std::deque<std::string> kinds_;  // that events refer to
};

}  // namespace berth::remote
