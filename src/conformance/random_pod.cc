// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_pod.h"

#include "api/pod_defaults.h"
#include "conformance/random_node.h"
#include "conformance/random_parts.h"
#include "conformance/random_storage.h"

#include <fmt/format.h>

namespace berth::conformance {
namespace {

using api::TaintEffect;

api::Container RandomContainer(Dice& dice, const ClusterShape& shape, std::string name) {
  api::Container container;
  container.name = std::move(name);
  container.image = RandomImage(dice);
  container.resources.requests = RandomRequests(dice, shape);
  if (dice.Chance(0.1)) container.resources.limits = container.resources.requests;
  if (dice.Chance(0.4 * shape.features)) container.restarts_all_containers = true;
  return container;
}

void AddPorts(Dice& dice, int32_t unique_port, std::vector<api::ContainerPort>& ports) {
  for (size_t i = 0; i <= dice.Below(2); ++i) {
    int32_t port = dice.Between(8000, 8002);
    if (unique_port != 0) port = unique_port + static_cast<int32_t>(i);
    ports.push_back({port, dice.Chance(0.8) ? port : 0, dice.Pick({"", "", "0.0.0.0", "127.0.0.1", "10.0.0.1"}),
                     dice.Pick({"", "TCP", "UDP"})});
  }
}

void AddContainers(Dice& dice, const ClusterShape& shape, int32_t unique_port, api::PodSpec& spec) {
  for (size_t i = 0; i <= dice.Below(2); ++i) {
    spec.containers.push_back(RandomContainer(dice, shape, fmt::format("c{}", i)));
  }
  if (dice.Chance(0.25)) {
    for (size_t i = 0; i <= dice.Below(3); ++i) {
      spec.init_containers.push_back(RandomContainer(dice, shape, fmt::format("i{}", i)));
      if (dice.Chance(0.4)) spec.init_containers.back().restart_policy = "Always";
    }
  }
  if (dice.Chance(0.6 * shape.ports)) AddPorts(dice, unique_port, spec.containers.front().ports);
  spec.host_network = dice.Chance(0.1 * shape.ports);
  if (dice.Chance(0.1 * shape.resources)) {
    spec.overhead.Set("cpu", Amount("50m"));
    spec.overhead.Set("memory", Amount("120Mi"));
  }
  if (dice.Chance(0.15 * shape.resources)) {
    api::ResourceList& requests = spec.resources.emplace().requests;
    if (dice.Chance(0.8)) requests.Set("cpu", Amount(dice.Pick({"3", "2500m", "5"})));
    if (dice.Chance(0.6)) requests.Set("memory", Amount(dice.Pick({"4Gi", "6Gi"})));
  }
  if (dice.Chance(0.3 * shape.features)) spec.host_users = dice.Chance(0.5);
}

void AddPlacement(Dice& dice, const ClusterShape& shape, api::PodSpec& spec) {
  if (dice.Chance(0.7 * shape.taints)) AddTolerations(dice, spec.tolerations);
  if (dice.Chance(0.3 * shape.node_affinity)) {
    const std::string key = dice.Pick({"disk", "pool", kZone});
    spec.node_selector.Set(key, dice.Pick({"ssd", "a", "z0", "z1", ""}));
  }
  api::Affinity affinity;
  if (dice.Chance(0.7 * shape.node_affinity)) affinity.node = RandomNodeAffinity(dice, shape);
  if (dice.Chance(0.5 * shape.pod_affinity)) affinity.pod = RandomPodAffinity(dice);
  if (dice.Chance(0.5 * shape.pod_affinity)) affinity.anti = RandomPodAffinity(dice);
  if (affinity.node || affinity.pod || affinity.anti || dice.Chance(0.05)) {
    spec.affinity = std::make_shared<const api::Affinity>(std::move(affinity));
  }
  if (dice.Chance(0.8 * shape.spread)) spec.topology_spread_constraints = RandomSpread(dice);
}

api::PodSpec RandomSpec(Dice& dice, const ClusterShape& shape, int32_t unique_port) {
  api::PodSpec spec;
  AddContainers(dice, shape, unique_port, spec);
  AddPlacement(dice, shape, spec);
  if (dice.Chance(shape.priorities)) spec.priority = dice.PickOf({-10, 0, 0, 10, 100, 100, 1000});
  if (dice.Chance(0.8 * shape.volumes)) {
    for (size_t i = 0; i <= dice.Below(2); ++i) {
      spec.volumes.push_back({fmt::format("v{}", i), RandomVolumeSource(dice)});
    }
  }
  if (dice.Chance(shape.gates)) spec.scheduling_gates = {dice.Pick({"example.com/quota", "example.com/review"})};
  if (dice.Chance(shape.claims)) spec.resource_claims = {"device"};
  return spec;
}

// A template under construction.
struct Draft {
  PodTemplate from;
  api::PodSpec spec;
};

Draft RandomDraft(Dice& dice, const ClusterShape& shape, int32_t unique_port) {
  Draft draft;
  draft.from.namespace_ = dice.OneOf(RandomNamespaces());
  draft.from.labels = RandomLabels(dice, 0.6);
  draft.spec = RandomSpec(dice, shape, unique_port);
  if (dice.Chance(0.5 * shape.workloads)) {
    const std::string kind = dice.Pick({"ReplicaSet", "StatefulSet", "ReplicationController", "Job"});
    const std::string version = kind == "Job" ? "batch/v1" : kind == "ReplicationController" ? "v1" : "apps/v1";
    draft.from.owners.push_back({version, kind, dice.Pick({"owner-0", "owner-1"}), "u", true});
  }
  return draft;
}

PodTemplate Publish(Draft draft) {
  api::ApplyPodDefaults(draft.spec);
  draft.from.spec = std::make_shared<const api::PodSpec>(std::move(draft.spec));
  return std::move(draft.from);
}

api::Pod PodOf(const PodTemplate& from, const PodIdentity& identity) {
  api::Pod pod;
  pod.meta.name = identity.name;
  pod.meta.uid = identity.uid;
  pod.meta.namespace_ = from.namespace_;
  pod.meta.labels = from.labels;
  pod.meta.owners = from.owners;
  pod.spec = from.spec;
  return pod;
}

PodTemplate RandomPendingTemplate(Dice& dice, const ClusterShape& shape, int32_t unique_port) {
  Draft draft = RandomDraft(dice, shape, unique_port);
  if (dice.Chance(0.1)) draft.spec.preemption_policy = "Never";
  if (dice.Chance(shape.urgent)) draft.spec.priority = dice.PickOf({100, 1000, 2000});
  return Publish(std::move(draft));
}

}  // namespace

api::ResourceList RandomRequests(Dice& dice, const ClusterShape& shape) {
  api::ResourceList requests;
  const auto set = [&](std::string_view resource, const std::string& amount) {
    requests.Set(resource, Amount(amount));
  };
  if (dice.Chance(0.8)) set("cpu", dice.Pick({"100m", "250m", "1", "1500m", "0.3", "2", "10m", "333m", "0", "1m"}));
  if (dice.Chance(0.75)) set("memory", dice.Pick({"128Mi", "1Gi", "500M", "2Gi", "64Mi", "1.1Gi", "100000001", "0"}));
  if (shape.huge_amounts && dice.Chance(0.3)) {
    set("cpu", dice.Pick({"1000000000", "35184372088832m", "12345678901"}));
    set("memory", dice.Pick({"1Ti", "32Ti", "1Pi", "70368744177664"}));
  }
  if (dice.Chance(0.2 * shape.resources)) set("ephemeral-storage", dice.Pick({"1Gi", "10G", "50Gi"}));
  if (dice.Chance(0.2 * shape.resources)) set("example.com/gpu", dice.Pick({"1", "2"}));
  if (dice.Chance(0.1 * shape.resources)) set("hugepages-2Mi", dice.Pick({"2Mi", "64Mi"}));
  if (dice.Chance(0.1 * shape.resources)) set("vendor.io/fpga", "1");
  if (shape.extra_resources > 0 && dice.Chance(0.4)) {
    for (size_t i = 0; i < shape.extra_resources; ++i) set(ExtraResource(i), dice.Pick({"1", "2", "0"}));
  }
  return requests;
}

void AddTolerations(Dice& dice, std::vector<api::Toleration>& tolerations) {
  for (size_t i = 0; i <= dice.Below(3); ++i) {
    api::Toleration toleration{
        dice.Pick({"dedicated", "gpu", "spot", "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable"}),
        dice.Pick({"Equal", "Exists", ""}),
        {},
        dice.PickOf(
            {TaintEffect::None, TaintEffect::NoSchedule, TaintEffect::PreferNoSchedule, TaintEffect::NoExecute})};
    if (toleration.op != "Exists") toleration.value = dice.Pick({"", "x", "y", "3"});
    if (toleration.op == "Exists" && dice.Chance(0.1)) toleration.key.clear();
    tolerations.push_back(std::move(toleration));
  }
}

void AddResize(Dice& dice, const api::PodSpec& spec, api::PodStatus& status) {
  for (const api::Container& container : spec.containers) {
    api::ContainerStatus& of_container = status.container_statuses.emplace_back();
    of_container.name = container.name;
    if (dice.Chance(0.7)) {
      of_container.allocated_resources.Set("cpu", Amount(dice.Pick({"100m", "700m", "2"})));
      of_container.allocated_resources.Set("memory", Amount(dice.Pick({"64Mi", "1Gi"})));
    }
    if (dice.Chance(0.7)) {
      api::ResourceList& in_force = of_container.resources.emplace().requests;
      in_force.Set("cpu", Amount(dice.Pick({"50m", "900m", "1"})));
      if (dice.Chance(0.8)) in_force.Set("memory", Amount(dice.Pick({"128Mi", "2Gi"})));
    }
  }
  if (dice.Chance(0.5)) {
    status.conditions.push_back({"PodResizePending", "True", dice.Pick({"Infeasible", "Deferred"}), {}});
  }
}

PodTemplate RandomPodTemplate(Dice& dice, const ClusterShape& shape) { return RandomPendingTemplate(dice, shape, 0); }

api::PodPtr PendingPodOf(const PodTemplate& from, const PodIdentity& identity) {
  api::Pod pod = PodOf(from, identity);
  api::PodStatus status;
  status.phase = "Pending";
  pod.status = std::make_shared<const api::PodStatus>(std::move(status));
  return std::make_shared<const api::Pod>(std::move(pod));
}

api::PodPtr RandomPendingPod(Dice& dice, const ClusterShape& shape, const PodIdentity& identity) {
  return PendingPodOf(RandomPendingTemplate(dice, shape, identity.unique_port), identity);
}

api::PodPtr RandomRunningPod(Dice& dice, const ClusterShape& shape, const PodIdentity& identity,
                             const std::string& node) {
  ClusterShape running = shape;
  running.gates = 0;
  running.claims = 0;
  api::Pod pod = PodOf(Publish(RandomDraft(dice, running, identity.unique_port)), identity);
  pod.node_name = node;
  api::PodStatus status;
  status.phase = "Running";
  if (dice.Chance(0.9)) status.start_time = AtSecond(dice.Between(0, 3000));
  if (dice.Chance(0.2 * shape.resources)) AddResize(dice, *pod.spec, status);
  if (dice.Chance(0.08)) {
    pod.meta.deleted = AtSecond(5400);
    if (dice.Chance(0.5)) status.conditions.push_back({"DisruptionTarget", "True", "PreemptionByScheduler", {}});
  }
  pod.status = std::make_shared<const api::PodStatus>(std::move(status));
  return std::make_shared<const api::Pod>(std::move(pod));
}

}  // namespace berth::conformance
