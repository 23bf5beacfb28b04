// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"

#include <string>
#include <string_view>

namespace berth::framework {

// Something to tell users about a pod.
struct PodEvent {
  std::string_view type;  // Normal or Warning
  std::string_view reason;
  std::string_view action;
  std::string note;
};

// Tells users what happened to a pod. Thread-safe.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `related` is another pod that has a part in it, or null.
  virtual void Record(const api::PodPtr& about, const api::PodPtr& related, PodEvent event) = 0;
};

}  // namespace berth::framework
