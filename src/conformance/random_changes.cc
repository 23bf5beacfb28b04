// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_changes.h"

#include "conformance/random_node.h"
#include "conformance/random_parts.h"
#include "conformance/random_pod.h"

#include <utility>

namespace berth::conformance {
namespace {

constexpr int64_t kDeletedAt = 5400;
constexpr int64_t kStartedAt = 10800;  // 2026-01-01T03:00:00Z, as in golden journeys

// A modifiable copy of a pod.
struct PodDraft {
  explicit PodDraft(const api::Pod& from) : pod(from), spec(*from.spec), status(*from.status) {}
  api::PodPtr Publish(bool spec_changed, bool status_changed) {
    // Unchanged parts stay shared: pods of one template are recognised by their shared spec.
    if (spec_changed) pod.spec = std::make_shared<const api::PodSpec>(std::move(spec));
    if (status_changed) pod.status = std::make_shared<const api::PodStatus>(std::move(status));
    return std::make_shared<const api::Pod>(std::move(pod));
  }
  api::Pod pod;
  api::PodSpec spec;
  api::PodStatus status;
};

void ScaleCpu(Dice& dice, api::ResourceList& amounts) {
  const api::Quantity* cpu = amounts.Find(api::kResourceCpu);
  const int64_t milli = cpu == nullptr ? 0 : cpu->MilliValue();
  amounts.Set(api::kResourceCpu, api::Quantity::FromMilli(dice.Chance(0.5) ? milli / 2 : milli + 700));
}

void SetRequests(api::ResourceRequirements& resources, api::ResourceList requests) {
  resources.requests = std::move(requests);
  resources.limits = {};
}

}  // namespace

api::NodePtr RandomlyChanged(Dice& dice, const ClusterShape& shape, const api::Node& node) {
  const api::NodePtr other = RandomNode(dice, shape, node.meta.name);
  if (dice.Chance(0.15)) return other;
  auto changed = std::make_shared<api::Node>(node);
  switch (dice.Below(9)) {
    case 0: changed->unschedulable = !node.unschedulable; break;
    case 1: changed->taints = other->taints; break;
    case 2: changed->meta.labels = other->meta.labels; break;
    case 3: ScaleCpu(dice, changed->allocatable); break;
    case 4: changed->allocatable = other->allocatable; break;
    case 5: changed->images = other->images; break;
    case 6: changed->declared_features = other->declared_features; break;
    case 7: changed->meta.annotations.Set("example.com/touched", dice.Pick({"1", "2", "3"})); break;
    default: changed->conditions = {{"Ready", dice.Pick({"True", "False"}), dice.Pick({"a", "b"}), {}}};
  }
  return changed;
}

api::PodPtr RandomlyChangedRunning(Dice& dice, const ClusterShape& shape, const api::Pod& pod) {
  PodDraft draft(pod);
  switch (dice.Below(5)) {
    case 0:
    case 1: draft.pod.meta.labels = RandomLabels(dice, 0.6); return draft.Publish(false, false);
    case 2: draft.pod.meta.deleted = AtSecond(kDeletedAt); return draft.Publish(false, false);
    case 3:
      draft.status.container_statuses.clear();
      draft.status.conditions.clear();
      AddResize(dice, draft.spec, draft.status);
      return draft.Publish(false, true);
    default: SetRequests(draft.spec.containers.front().resources, RandomRequests(dice, shape));
  }
  return draft.Publish(true, false);
}

api::PodPtr RandomlyChangedWaiting(Dice& dice, const api::Pod& pod) {
  PodDraft draft(pod);
  switch (dice.Below(6)) {
    case 0:
    case 1: draft.pod.meta.labels = RandomLabels(dice, 0.6); return draft.Publish(false, false);
    case 2: AddTolerations(dice, draft.spec.tolerations); return draft.Publish(true, false);
    case 3: draft.spec.scheduling_gates.clear(); return draft.Publish(true, false);
    case 4: {
      api::ResourceRequirements& resources = draft.spec.containers.front().resources;
      ScaleCpu(dice, resources.requests);
      resources.limits = {};
      return draft.Publish(true, false);
    }
    default:
      draft.status.generated_claims = std::make_shared<const api::GeneratedClaims>(
          api::GeneratedClaims{{{"device", pod.meta.name + "-device"}}, std::nullopt});
  }
  return draft.Publish(false, true);
}

api::PodPtr RunningOn(const api::Pod& pod, const std::string& node) {
  PodDraft draft(pod);
  draft.pod.node_name = node;
  draft.status = {};
  draft.status.phase = "Running";
  draft.status.start_time = AtSecond(kStartedAt);
  return draft.Publish(false, true);
}

api::PodPtr NominatedTo(const api::Pod& pod, const std::string& node) {
  PodDraft draft(pod);
  draft.status.nominated_node_name = node;
  return draft.Publish(false, true);
}

api::PodPtr BeingEvicted(const api::Pod& pod) {
  PodDraft draft(pod);
  draft.pod.meta.deleted = AtSecond(kDeletedAt);
  draft.status.conditions.push_back({"DisruptionTarget", "True", "PreemptionByScheduler", {}});
  return draft.Publish(false, true);
}

api::PodPtr WithoutHostPorts(const api::Pod& pod) {
  PodDraft draft(pod);
  for (api::Container& container : draft.spec.containers) container.ports.clear();
  for (api::Container& container : draft.spec.init_containers) container.ports.clear();
  return draft.Publish(true, false);
}

}  // namespace berth::conformance
