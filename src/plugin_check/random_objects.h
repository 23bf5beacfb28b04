// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::plugin_check {

// How many of what.
struct RandomObjectsOptions {
  size_t nodes = 50;
  size_t pods = 50;          // to be placed
  size_t pods_per_node = 3;  // that run, on average
  uint64_t seed = 1;
};

// A random cluster of all kinds that scheduling looks at, and pods to be placed in it. The same options give the same
// objects on every machine.
std::vector<api::Object> RandomObjects(const RandomObjectsOptions& options);

}  // namespace berth::plugin_check
