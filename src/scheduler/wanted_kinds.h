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

// The kinds that a scheduler with these profiles must watch: Pod, Node, those that enabled plugins declare, and those
// that they register events for, which `queue` knows. Sorted.
Result<std::vector<std::string>> WantedKinds(std::span<const std::unique_ptr<runtime::Profile>> profiles,
                                             const framework::Registry& registry, const queue::SchedulingQueue& queue);

}  // namespace berth::scheduler
