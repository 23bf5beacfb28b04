// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources/scored_resources.h"

namespace berth::plugins::node_resources {

using framework::ClusterView;
using framework::NodeInfo;
using framework::PodInfo;
using framework::ResourceId;

ScoredResources::ScoredResources(const std::vector<ResourceWeight>& resources, bool real_requests,
                                 framework::ResourceNames& names)
    : real_requests_(real_requests) {
  for (const ResourceWeight& resource : resources) {
    resources_.push_back(
        {names.Intern(resource.name), resource.name, resource.weight, api::IsScalarResource(resource.name)});
  }
}

void ScoredResources::FindRequests(const PodInfo& pod, std::vector<int64_t>& requests) const {
  requests.clear();
  requests.reserve(resources_.size());
  // What was computed when the pod arrived is what is asked here, unless pod-level requests make the two differ.
  if (real_requests_ || !pod.spec().resources) {
    for (const Resource& resource : resources_) {
      const framework::PodTraits& traits = *pod.traits;
      int64_t request = traits.requests.Get(resource.id);
      if (!real_requests_ && resource.id == ResourceId::Cpu) request = traits.nonzero_cpu;
      if (!real_requests_ && resource.id == ResourceId::Memory) request = traits.nonzero_memory;
      requests.push_back(request);
    }
    return;
  }
  const api::ResourceList list =
      framework::PodRequests(*pod, {.use_status = true, .skip_pod_level = true, .nonzero_defaults = true});
  for (const Resource& resource : resources_) {
    const api::Quantity* amount = list.Find(resource.name);
    const bool milli = resource.id == ResourceId::Cpu;
    requests.push_back(amount == nullptr ? 0 : milli ? amount->MilliValue() : amount->Value());
  }
}

void ScoredResources::SharesOf(const NodeInfo& node, std::span<const int64_t> requests,
                               std::span<ResourceShare> shares) const {
  for (size_t i = 0; i < resources_.size(); ++i) {
    const Resource& resource = resources_[i];
    shares[i] = {};
    if (requests[i] == 0 && resource.scalar) continue;
    const int64_t allocatable = node.allocatable.Get(resource.id);
    if (allocatable == 0) continue;
    int64_t taken = node.requested.Get(resource.id);
    if (!real_requests_ && resource.id == ResourceId::Cpu) taken = node.nonzero_cpu;
    if (!real_requests_ && resource.id == ResourceId::Memory) taken = node.nonzero_memory;
    shares[i] = {allocatable, taken, taken + requests[i]};
  }
}

std::span<ScoredColumn> ScoredResources::ColumnsOf(const ClusterView& cluster, std::span<const int64_t> requests,
                                                   std::span<ScoredColumn> columns) const {
  size_t count = 0;
  for (size_t i = 0; i < resources_.size(); ++i) {
    const Resource& resource = resources_[i];
    if (requests[i] == 0 && resource.scalar) continue;
    const framework::ResourceColumn column = cluster.resource(resource.id);
    const int64_t* taken = column.requested.data();
    if (!real_requests_ && resource.id == ResourceId::Cpu) taken = cluster.nonzero_cpu().data();
    if (!real_requests_ && resource.id == ResourceId::Memory) taken = cluster.nonzero_memory().data();
    columns[count++] = {column.allocatable.data(), taken, requests[i], resource.weight};
  }
  return columns.first(count);
}

}  // namespace berth::plugins::node_resources
