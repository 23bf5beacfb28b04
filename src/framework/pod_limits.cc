// SPDX-License-Identifier: Apache-2.0
#include "framework/pod_limits.h"

#include <string_view>

namespace berth::framework {
namespace {

using api::ResourceList;

bool MayBeLimitedForPods(std::string_view resource) {
  return resource == api::kResourceCpu || resource == api::kResourceMemory || api::IsHugePagesResource(resource);
}

}  // namespace

ResourceList PodLimits(const api::Pod& pod) {
  const api::PodSpec& spec = *pod.spec;
  ResourceList total;
  for (const api::Container& container : spec.containers) total.AddAll(container.resources.limits);
  // Sidecars stay for the pod's life; other init containers run one by one beside the sidecars started before them.
  ResourceList sidecars;
  ResourceList init_peak;
  for (const api::Container& container : spec.init_containers) {
    ResourceList running = container.resources.limits;
    if (container.is_sidecar()) {
      total.AddAll(running);
      sidecars.AddAll(running);
      running = sidecars;
    } else {
      running.AddAll(sidecars);
    }
    init_peak.RaiseAll(running);
  }
  total.RaiseAll(init_peak);
  if (spec.resources) {
    for (const auto& [name, amount] : spec.resources->limits) {
      if (MayBeLimitedForPods(name)) total.Set(name, amount);
    }
  }
  for (const auto& [name, amount] : spec.overhead) {
    const api::Quantity* limit = total.Find(name);
    if (limit != nullptr && !limit->IsZero()) total.Add(name, amount);
  }
  return total;
}

}  // namespace berth::framework
