// SPDX-License-Identifier: Apache-2.0
#include "api/pod_defaults.h"

namespace berth::api {
namespace {

void RequestLimits(ResourceRequirements& resources) {
  for (const auto& [name, amount] : resources.limits) {
    if (resources.requests.Find(name) == nullptr) resources.requests.Set(name, amount);
  }
}

void OpenHostPorts(std::vector<Container>& containers) {
  for (Container& container : containers) {
    for (ContainerPort& port : container.ports) {
      if (port.host_port == 0) port.host_port = port.container_port;
    }
  }
}

// What all containers need at once: the running ones together, or the hungriest moment of starting up.
ResourceList Aggregate(const PodSpec& spec, ResourceList ResourceRequirements::*list) {
  ResourceList total;
  for (const Container& container : spec.containers) total.AddAll(container.resources.*list);
  ResourceList sidecars;
  ResourceList startup;
  for (const Container& container : spec.init_containers) {
    const ResourceList& own = container.resources.*list;
    if (container.is_sidecar()) {
      total.AddAll(own);
      sidecars.AddAll(own);
      startup.RaiseAll(sidecars);
    } else {
      ResourceList together = own;
      together.AddAll(sidecars);
      startup.RaiseAll(together);
    }
  }
  total.RaiseAll(startup);
  return total;
}

bool IsPodLevelResource(std::string_view name) {
  return name == kResourceCpu || name == kResourceMemory || IsHugePagesResource(name);
}

void DefaultHugePageLimits(const PodSpec& spec, ResourceRequirements& pod) {
  if (pod.limits.empty() && pod.requests.empty()) return;
  for (const auto& [name, amount] : Aggregate(spec, &ResourceRequirements::limits)) {
    if (IsHugePagesResource(name) && pod.requests.Find(name) == nullptr && pod.limits.Find(name) == nullptr) {
      pod.limits.Set(name, amount);
    }
  }
}

void DefaultPodRequests(const PodSpec& spec, ResourceRequirements& pod) {
  if (pod.limits.empty()) return;
  for (const auto& [name, amount] : Aggregate(spec, &ResourceRequirements::requests)) {
    const bool overcommits = IsPodLevelResource(name) && !IsHugePagesResource(name);
    if (overcommits && pod.requests.Find(name) == nullptr) pod.requests.Set(name, amount);
  }
  for (const auto& [name, amount] : pod.limits) {
    if (IsPodLevelResource(name) && pod.requests.Find(name) == nullptr) pod.requests.Set(name, amount);
  }
}

}  // namespace

void ApplyPodDefaults(PodSpec& spec) {
  for (Container& container : spec.containers) RequestLimits(container.resources);
  for (Container& container : spec.init_containers) RequestLimits(container.resources);
  if (spec.resources) {
    DefaultHugePageLimits(spec, *spec.resources);
    DefaultPodRequests(spec, *spec.resources);
  }
  if (spec.host_network) {
    OpenHostPorts(spec.containers);
    OpenHostPorts(spec.init_containers);
  }
}

}  // namespace berth::api
