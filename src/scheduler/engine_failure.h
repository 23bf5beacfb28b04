// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/extension_points/post_filter.h"
#include "scheduler/decide.h"
#include "scheduler/engine.h"

#include <string>
#include <vector>

namespace berth::scheduler {

// Why an attempt failed, as the queue, users and metrics are told.
struct Engine::Failure {
  bool rejected = false;               // a verdict; otherwise an error
  std::vector<std::string> rejectors;  // none after an error: the pod is tried again by backoff alone
  std::vector<std::string> pending;
  std::string message;
  framework::PostFilterResult::Mode nominating = framework::PostFilterResult::Mode::Override;
  std::string nominated_node;  // with Override: "" takes an earlier promise back
  Duration took{};
};

}  // namespace berth::scheduler
