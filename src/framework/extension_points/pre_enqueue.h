// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/status.h"

namespace berth::framework {

// Decides whether a pod may enter the active queue. Any verdict but Success gates the pod: it is not tried until an
// event this plugin registered for arrives. Runs on the engine thread for every arrival: pure and quick.
class PreEnqueuePlugin {
 public:
  virtual Status PreEnqueue(const api::Pod& pod) const = 0;

 protected:
  ~PreEnqueuePlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
