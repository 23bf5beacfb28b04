// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "base/clock.h"
#include "store/record.h"

#include <optional>
#include <string>

namespace berth::scheduler {

// What the engine wants changed in a pod's status.
struct StatusPatch {
  store::Key pod;
  std::string uid;
  std::optional<api::Condition> condition;
  int64_t observed_generation = 0;            // of the condition
  std::optional<std::string> nominated_node;  // "" clears it

  bool empty() const { return !condition && !nominated_node; }
};

// A pod that has to make room.
struct EvictionRequest {
  store::Key pod;
  std::string uid;
  std::string message;        // of the DisruptionTarget condition
  std::string preemptor_uid;  // the pod that gets the room
};

// Something users should hear about a pod: becomes an Event object.
struct EventNote {
  store::Key pod;
  std::string uid;
  std::string type;  // Normal or Warning
  std::string reason;
  std::string action;
  std::string note;
  std::string controller;  // the profile that reports it
  Timestamp time;
};

}  // namespace berth::scheduler
