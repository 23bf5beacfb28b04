// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "queue/change_events.h"

#include <chrono>

namespace berth::queue {

struct QueueOptions {
  Duration initial_backoff = std::chrono::seconds(1);
  Duration max_backoff = std::chrono::seconds(10);
  Duration max_unschedulable = std::chrono::minutes(5);  // then a pod is tried again whatever happened
  // SchedulerPopFromBackoffQ: when no pod is active, one that backs off is tried early. It has passed PreEnqueue when
  // it began to back off; without this it is asked when its penalty is over.
  bool pop_from_backoff = true;
  // SchedulerQueueingHints: plugins say which events help which pods. Without them every event that a plugin registered
  // for wakes all pods it rejected, every update of a pod but of its status wakes it, and a pod comes back to backoff
  // when anything at all has happened during its attempt.
  bool hints = true;
  ChangeRules changes = {};
};

}  // namespace berth::queue
