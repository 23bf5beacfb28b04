// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/queue_profile.h"
#include "runtime/profile.h"

#include <memory>
#include <span>
#include <vector>

namespace berth::scheduler {

// What the queue must know of a profile: every plugin that can keep a pod waiting, with the events that wake the pods
// it rejected. A plugin without EnqueueExtensions gets upstream's default list; one that returns an empty list is woken
// by nothing. The profile must outlive the result.
queue::QueueProfile QueueProfileOf(const runtime::Profile& profile);

std::vector<queue::QueueProfile> QueueProfilesOf(std::span<const std::unique_ptr<runtime::Profile>> profiles,
                                                 bool has_extenders = false);

}  // namespace berth::scheduler
