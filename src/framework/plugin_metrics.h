// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <string_view>

namespace berth::framework {

// What plugins count themselves. That they ran, how long and how it ended is counted without them. Any thread.
class PluginMetrics {
 public:
  // How a call of a plugin in another process ended: "ok", "timeout", "lost" and so on.
  struct RemoteCall {
    std::string_view plugin;
    std::string_view step;
    std::string_view result;
    Duration took{0};
  };

  virtual ~PluginMetrics() = default;
  virtual void RemoteCalled(const RemoteCall& /*call*/) {}
  // Whether a session with the plugin is open, and whether calls are suspended because too many have failed.
  virtual void RemoteState(std::string_view /*plugin*/, std::string_view /*profile*/, bool /*connected*/,
                           bool /*suspended*/) {}
  // Bytes of messages, before the transport adds its own.
  virtual void RemoteBytes(std::string_view /*plugin*/, uint64_t /*sent*/, uint64_t /*received*/) {}
  // A message that no plugin should send: an unknown number, a late answer.
  virtual void RemoteStray(std::string_view /*plugin*/, std::string_view /*kind*/) {}
  // A step of volume binding has failed for another reason than a verdict: "predicate", "assume", "bind".
  virtual void VolumeStageFailed(std::string_view stage) = 0;
};

}  // namespace berth::framework
