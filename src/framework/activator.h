// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace berth::framework {

// Has waiting pods tried again at once, whatever they wait for. Those that are not waiting are left alone. Thread-safe.
class Activator {
 public:
  virtual ~Activator() = default;
  virtual void Activate(std::vector<std::string> pod_uids) = 0;
};

}  // namespace berth::framework
