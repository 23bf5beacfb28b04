// SPDX-License-Identifier: Apache-2.0
#include "cluster/node_columns.h"

#include <algorithm>
#include <limits>

namespace berth::cluster {

using framework::IndexOf;
using framework::NodeId;
using framework::NodeInfo;
using framework::ResourceId;

namespace {

int32_t Clamp32(int64_t value) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}

}  // namespace

void NodeColumns::Resize(size_t slots) {
  slots_ = slots;
  for (Resource& resource : resources_) {
    resource.allocatable.resize(slots);
    resource.requested.resize(slots);
  }
  zeros_.resize(slots);
  nonzero_cpu_.resize(slots);
  nonzero_memory_.resize(slots);
  pod_count_.resize(slots);
  allowed_pods_.resize(slots);
  lowest_priority_.resize(slots, std::numeric_limits<int32_t>::max());
  row_version_.resize(slots);
  row_cycle_.resize(slots);
  with_host_ports_.Resize(slots);
}

void NodeColumns::Write(const NodeInfo& row, uint64_t version, uint64_t cycle) {
  const NodeId id = row.id;
  const auto write = [&](ResourceId resource, int64_t allocatable, int64_t requested) {
    Resource& column = Grown(resource);
    column.allocatable[id] = allocatable;
    column.requested[id] = requested;
  };
  for (Resource& column : resources_) column.allocatable[id] = column.requested[id] = 0;
  write(ResourceId::Cpu, row.allocatable.cpu, row.requested.cpu);
  write(ResourceId::Memory, row.allocatable.memory, row.requested.memory);
  write(ResourceId::EphemeralStorage, row.allocatable.ephemeral_storage, row.requested.ephemeral_storage);
  for (const auto& [resource, amount] : row.allocatable.scalars) Grown(resource).allocatable[id] = amount;
  for (const auto& [resource, amount] : row.requested.scalars) Grown(resource).requested[id] = amount;
  nonzero_cpu_[id] = row.nonzero_cpu;
  nonzero_memory_[id] = row.nonzero_memory;
  pod_count_[id] = Clamp32(static_cast<int64_t>(row.pods.size()));
  allowed_pods_[id] = Clamp32(row.allowed_pods);
  int32_t lowest = std::numeric_limits<int32_t>::max();
  for (const auto& pod : row.pods) lowest = std::min(lowest, pod->pod->priority());
  lowest_priority_[id] = lowest;
  row_version_[id] = version;
  row_cycle_[id] = cycle;
  with_host_ports_.Assign(id, !row.used_ports.empty());
}

void NodeColumns::Clear(NodeId id) {
  NodeInfo vacant;
  vacant.id = id;
  Write(vacant, 0, 0);
}

framework::ResourceColumn NodeColumns::resource(ResourceId id) const {
  if (IndexOf(id) >= resources_.size()) return {zeros_, zeros_};
  return {resources_[IndexOf(id)].allocatable, resources_[IndexOf(id)].requested};
}

NodeColumns::Resource& NodeColumns::Grown(ResourceId id) {
  while (resources_.size() <= IndexOf(id)) {
    resources_.push_back({std::vector<int64_t>(slots_), std::vector<int64_t>(slots_)});
  }
  return resources_[IndexOf(id)];
}

}  // namespace berth::cluster
