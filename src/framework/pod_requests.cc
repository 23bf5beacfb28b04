// SPDX-License-Identifier: Apache-2.0
#include "api/resources.h"
#include "framework/pod_info.h"

#include <span>

namespace berth::framework {
namespace {

using api::Quantity;
using api::ResourceList;

constexpr int64_t kDefaultMilliCpu = 100;
constexpr int64_t kDefaultMemory = int64_t{200} * 1024 * 1024;

bool IsPodLevelResource(std::string_view name) {
  return name == api::kResourceCpu || name == api::kResourceMemory || api::IsHugePagesResource(name);
}

bool HasPodLevelRequests(const api::PodSpec& spec) {
  if (!spec.resources) return false;
  for (const auto& [name, amount] : spec.resources->requests) {
    if (IsPodLevelResource(name)) return true;
  }
  return false;
}

bool ResizeIsInfeasible(const api::Pod& pod) {
  const api::Condition* pending = pod.FindCondition("PodResizePending");
  return pending != nullptr && pending->reason == "Infeasible";
}

// While a resize is under way the pod may hold any of what it asks for, what it was granted and what it has.
ResourceList EffectiveRequests(const api::Pod& pod, const ResourceList& spec, const ResourceList& actuated,
                               const ResourceList& allocated) {
  ResourceList effective = actuated;
  effective.RaiseAll(allocated);
  if (!ResizeIsInfeasible(pod)) effective.RaiseAll(spec);
  return effective;
}

const api::ContainerStatus* FindStatus(const api::PodStatus& status, std::string_view name) {
  for (const auto* list : {&status.init_container_statuses, &status.container_statuses}) {
    for (const api::ContainerStatus& entry : *list) {
      if (entry.name == name) return &entry;
    }
  }
  return nullptr;
}

// What containers without a cpu or memory request are counted with. Pod-level requests speak for the whole pod, so with
// them only a resource that nobody requests gets a default.
ResourceList ContainerDefaults(const api::Pod& pod, const PodRequestOptions& options) {
  ResourceList defaults;
  if (!options.nonzero_defaults) return defaults;
  PodRequestOptions plain = options;
  plain.nonzero_defaults = false;
  const bool pod_level = !options.skip_pod_level && HasPodLevelRequests(*pod.spec);
  const ResourceList requests = pod_level ? PodRequests(pod, plain) : ResourceList();
  if (requests.Find(api::kResourceCpu) == nullptr) {
    defaults.Set(api::kResourceCpu, Quantity::FromMilli(kDefaultMilliCpu));
  }
  if (requests.Find(api::kResourceMemory) == nullptr) {
    defaults.Set(api::kResourceMemory, Quantity::FromInt(kDefaultMemory));
  }
  return defaults;
}

ResourceList ContainerRequests(const api::Pod& pod, const api::Container& container, bool use_status,
                               const ResourceList& defaults) {
  ResourceList requests = container.resources.requests;
  if (use_status) {
    const api::ContainerStatus* status = FindStatus(*pod.status, container.name);
    if (status != nullptr && status->resources) {
      requests = EffectiveRequests(pod, requests, status->resources->requests, status->allocated_resources);
    }
  }
  for (const auto& [name, amount] : defaults) {
    if (requests.Find(name) == nullptr) requests.Set(name, amount);
  }
  return requests;
}

}  // namespace

ResourceList PodRequests(const api::Pod& pod, const PodRequestOptions& options) {
  const api::PodSpec& spec = *pod.spec;
  const ResourceList defaults = ContainerDefaults(pod, options);

  ResourceList total;
  for (const api::Container& container : spec.containers) {
    total.AddAll(ContainerRequests(pod, container, options.use_status, defaults));
  }
  // Sidecars stay for the pod's life; other init containers run one by one beside the sidecars started before them.
  ResourceList sidecars;
  ResourceList init_peak;
  for (const api::Container& container : spec.init_containers) {
    const ResourceList requests =
        ContainerRequests(pod, container, options.use_status && container.is_sidecar(), defaults);
    if (container.is_sidecar()) {
      total.AddAll(requests);
      sidecars.AddAll(requests);
      init_peak.RaiseAll(sidecars);
    } else {
      ResourceList running = requests;
      running.AddAll(sidecars);
      init_peak.RaiseAll(running);
    }
  }
  total.RaiseAll(init_peak);

  if (!options.skip_pod_level && HasPodLevelRequests(spec)) {
    ResourceList effective = spec.resources->requests;
    if (options.use_status && !options.skip_pod_status && pod.status->resources) {
      effective = EffectiveRequests(pod, effective, pod.status->resources->requests, pod.status->allocated_resources);
    }
    for (const auto& [name, amount] : spec.resources->requests) {
      if (!IsPodLevelResource(name)) continue;
      const Quantity* held = effective.Find(name);
      total.Set(name, held != nullptr ? *held : Quantity());
    }
  }
  total.AddAll(spec.overhead);
  return total;
}

}  // namespace berth::framework
