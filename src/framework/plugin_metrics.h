// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace berth::framework {

// What plugins count themselves. That they ran, how long and how it ended is counted without them. Any thread.
class PluginMetrics {
 public:
  virtual ~PluginMetrics() = default;
  // A step of volume binding has failed for another reason than a verdict: "predicate", "assume", "bind".
  virtual void VolumeStageFailed(std::string_view stage) = 0;
};

}  // namespace berth::framework
