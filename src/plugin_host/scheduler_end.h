// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "plugin_host/session.h"

#include <berth/plugin/v1/plugin.pb.h>

namespace berth::plugin_host {

// The scheduler, as a plugin's steps see it.
class SchedulerEnd {
 public:
  virtual ~SchedulerEnd() = default;
  // Any thread.
  virtual void Send(const plugin::v1::PluginMessage& message) = 0;
  // Asks during PostFilter, and waits. Other messages of the scheduler are served meanwhile.
  virtual Result<plugin::v1::Judged> Ask(plugin::v1::Judge judge) = 0;
};

}  // namespace berth::plugin_host
