// SPDX-License-Identifier: Apache-2.0
#include "scheduler/pod_resource_metrics.h"

#include "framework/pod_info.h"
#include "framework/pod_limits.h"
#include "metrics/text_writer.h"

#include <string_view>

namespace berth::scheduler {
namespace {

std::string_view UnitOf(std::string_view resource) {
  if (resource == api::kResourceCpu) return "cores";
  if (resource == api::kResourceMemory || resource == api::kResourceStorage ||
      resource == api::kResourceEphemeralStorage || api::IsHugePagesResource(resource)) {
    return "bytes";
  }
  return api::IsAttachableVolumeResource(resource) ? "integer" : "";
}

// As upstream, a pod that was never placed has not ended, whatever its phase says.
bool HasEnded(const api::Pod& pod) { return !pod.node_name.empty() && pod.is_finished(); }

void Write(const api::Pod& pod, const api::ResourceList& amounts, metrics::TextWriter& writer) {
  const std::string priority = pod.spec->priority ? std::to_string(*pod.spec->priority) : "";
  for (const auto& [resource, amount] : amounts) {
    if (amount.IsZero()) continue;
    writer.Sample({{"namespace", pod.meta.namespace_},
                   {"node", pod.node_name},
                   {"pod", pod.meta.name},
                   {"priority", priority},
                   {"resource", resource},
                   {"scheduler", pod.spec->scheduler_name},
                   {"unit", UnitOf(resource)}},
                  amount.ToDouble());
  }
}

}  // namespace

std::string PodResourceMetrics(std::span<const api::PodPtr> pods) {
  metrics::TextWriter writer;
  writer.Begin(
      "kube_pod_resource_limit", "gauge",
      "[STABLE] The most that pods may use, by pod and resource, with the unit of the resource if it has one.");
  for (const api::PodPtr& pod : pods) {
    if (!HasEnded(*pod)) Write(*pod, framework::PodLimits(*pod), writer);
  }
  writer.Begin("kube_pod_resource_request", "gauge",
               "[STABLE] What pods ask for, by pod and resource, with the unit of the resource if it has one.");
  for (const api::PodPtr& pod : pods) {
    if (!HasEnded(*pod)) Write(*pod, framework::PodRequests(*pod, {}), writer);
  }
  return writer.Take();
}

}  // namespace berth::scheduler
