// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// A pod that Permit plugins hold back. Thread-safe.
class WaitingPod {
 public:
  virtual ~WaitingPod() = default;
  virtual const PodInfo& pod() const = 0;
  virtual std::vector<std::string> pending_plugins() const = 0;
  // The pod goes on once every plugin that waits has allowed it.
  virtual void Allow(std::string_view plugin) = 0;
  virtual void Reject(std::string_view plugin, std::string message) = 0;
  // Its room goes to another pod: it is not rejected but tried again, as after an error. Says false when it is decided
  // already what becomes of it.
  virtual bool Preempt(std::string_view plugin, std::string message) = 0;
};

// The pods held back at Permit. Thread-safe.
class WaitingPods {
 public:
  virtual ~WaitingPods() = default;
  virtual void ForEach(const std::function<void(WaitingPod&)>& visit) = 0;
  // Calls `visit` if the pod waits; says whether it does.
  virtual bool With(std::string_view pod_uid, const std::function<void(WaitingPod&)>& visit) = 0;
};

}  // namespace berth::framework
