// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "api/value.h"
#include "base/string_map.h"

#include <deque>
#include <memory>
#include <string>

namespace berth::scheduler {

// Lets pods made from one template share one spec, and with it everything derived from specs. Remembers the latest
// templates only. One thread.
class SpecTable {
 public:
  explicit SpecTable(size_t capacity = 4'096) : capacity_(capacity) {}

  // The spec of an earlier pod whose document spelled it the same, or `spec`.
  std::shared_ptr<const api::PodSpec> Shared(const api::Value& document, std::shared_ptr<const api::PodSpec> spec);

 private:
  size_t capacity_;
  StringMap<std::shared_ptr<const api::PodSpec>> specs_;  // by the spec's JSON
  std::deque<std::string> order_;                         // oldest first
};

}  // namespace berth::scheduler
