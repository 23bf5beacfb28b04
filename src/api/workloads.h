// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/meta.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Objects that own or group pods: read for default spreading, budgets, priorities and namespace selectors.
namespace berth::api {

struct Namespace {
  ObjectMeta meta;
};

struct Service {
  ObjectMeta meta;
  Labels selector;
};

struct ReplicationController {
  ObjectMeta meta;
  Labels selector;
};

struct ReplicaSet {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
};

struct StatefulSet {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
};

struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
  int32_t disruptions_allowed = 0;
  std::vector<std::string> disrupted_pods;  // names of pods whose eviction is already counted
};

struct PriorityClass {
  ObjectMeta meta;
  int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy;
};

}  // namespace berth::api
