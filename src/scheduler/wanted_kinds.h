// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/registry.h"
#include "queue/scheduling_queue.h"
#include "runtime/profile.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace berth::scheduler {

// The kinds a scheduler with these profiles must hear of, and no others: pods, nodes, what enabled plugins declare to
// read, and what wakes the pods they reject. `queue` knows the events they registered. Sorted.
Result<std::vector<std::string>> WantedKinds(std::span<const std::unique_ptr<runtime::Profile>> profiles,
                                             const framework::Registry& registry, const queue::SchedulingQueue& queue);

}  // namespace berth::scheduler
