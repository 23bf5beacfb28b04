// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin/v1/plugin.pb.h>
#include <functional>
#include <memory>

namespace berth::plugin_host {

// What a plugin's process does for one session that a scheduler has opened. Called on one thread, which is its own: a
// plugin may take its time. Destroyed when the stream is over.
class Session {
 public:
  virtual ~Session() = default;
  virtual void Received(plugin::v1::SchedulerMessage message) = 0;
};

// Any thread, as long as the session lives.
using SendToScheduler = std::function<void(const plugin::v1::PluginMessage&)>;
using OpenSession = std::function<std::unique_ptr<Session>(SendToScheduler send)>;

}  // namespace berth::plugin_host
