// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "api/meta.h"
#include "api/resources.h"
#include "api/taint.h"
#include "api/volume.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::api {

struct ContainerPort {
  int32_t container_port = 0;
  int32_t host_port = 0;
  std::string host_ip;
  std::string protocol;  // empty means TCP
};

struct Container {
  std::string name;
  std::string image;
  ResourceRequirements resources;
  std::vector<ContainerPort> ports;
  std::string restart_policy;            // "Always" on an init container makes it a sidecar
  bool restarts_all_containers = false;  // a restart policy rule has the action RestartAllContainers
  bool is_sidecar() const { return restart_policy == "Always"; }
};

// What a pod asks for. Immutable and shared: pods made from one template may point to one spec.
struct PodSpec {
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  std::optional<ResourceRequirements> resources;  // pod-level
  ResourceList overhead;
  std::string scheduler_name = "default-scheduler";
  std::optional<int32_t> priority;
  std::string priority_class_name;
  std::string preemption_policy;  // empty means PreemptLowerPriority
  Labels node_selector;
  std::shared_ptr<const Affinity> affinity;  // null when the pod has none
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<std::string> scheduling_gates;
  std::vector<std::string> resource_claims;  // names of spec.resourceClaims
  std::vector<Volume> volumes;
  bool host_network = false;
  std::optional<bool> host_users;
  std::optional<int64_t> termination_grace_period_seconds;
};

struct ContainerStatus {
  std::string name;
  std::optional<ResourceRequirements> resources;  // as in force on the node
  ResourceList allocated_resources;
};

struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
};

// The resource claims that were made for a pod.
struct GeneratedClaims {
  struct OfEntry {
    std::string name;                   // of the entry in spec.resourceClaims
    std::optional<std::string> object;  // absent where no claim was needed
    friend bool operator==(const OfEntry&, const OfEntry&) = default;
  };
  struct ExtendedResource {
    std::string container;
    std::string resource;
    std::string request;
    friend bool operator==(const ExtendedResource&, const ExtendedResource&) = default;
  };
  // The claim that serves extended resources.
  struct Extended {
    std::string object;
    std::vector<ExtendedResource> resources;
    friend bool operator==(const Extended&, const Extended&) = default;
  };
  std::vector<OfEntry> entries;
  std::optional<Extended> extended;
  friend bool operator==(const GeneratedClaims&, const GeneratedClaims&) = default;
};

struct PodStatus {
  std::string phase;
  std::string nominated_node_name;
  std::optional<Timestamp> start_time;
  std::vector<Condition> conditions;
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;
  std::optional<ResourceRequirements> resources;            // pod-level, as in force on the node
  ResourceList allocated_resources;                         // pod-level
  std::shared_ptr<const GeneratedClaims> generated_claims;  // null when there are none
};

// A pod as scheduling sees it. Immutable once published.
struct Pod {
  ObjectMeta meta;
  std::string node_name;  // spec.nodeName, apart from the spec so that pods of one template share theirs
  std::shared_ptr<const PodSpec> spec;
  std::shared_ptr<const PodStatus> status;
  std::shared_ptr<const std::string> document;  // the whole of it as JSON, when its home keeps that; see WholeDocument

  int32_t priority() const { return spec->priority.value_or(0); }
  bool is_terminating() const { return meta.deleted.has_value(); }
  bool is_finished() const { return status->phase == "Succeeded" || status->phase == "Failed"; }
  const Condition* FindCondition(std::string_view type) const;
};

using PodPtr = std::shared_ptr<const Pod>;

}  // namespace berth::api
