// SPDX-License-Identifier: Apache-2.0
#include "simulator/utilisation.h"

#include <algorithm>

namespace berth::simulator {
namespace {

using framework::ClusterView;
using framework::NodeId;
using framework::NodeInfo;
using framework::ResourceId;
using framework::ResourceNames;

constexpr const char* kPods = "pods";

// Resources in display order: those every node has, then the others by name.
std::vector<ResourceId> ShownResources(const ResourceNames& names) {
  std::vector<ResourceId> ids;
  for (size_t i = 0; i < names.size(); ++i) ids.push_back(static_cast<ResourceId>(i));
  std::sort(ids.begin() + static_cast<std::ptrdiff_t>(IndexOf(ResourceId::FirstScalar)), ids.end(),
            [&](ResourceId a, ResourceId b) { return names.Name(a) < names.Name(b); });
  return ids;
}

NodeUse UseOf(const NodeInfo& before, const NodeInfo& after, const std::vector<ResourceId>& ids,
              const ResourceNames& names) {
  NodeUse use{after.name(), {}};
  for (const ResourceId id : ids) {
    use.resources.push_back(
        {names.Name(id), after.allocatable.Get(id), before.requested.Get(id), after.requested.Get(id)});
  }
  use.resources.push_back(
      {kPods, after.allowed_pods, static_cast<int64_t>(before.pods.size()), static_cast<int64_t>(after.pods.size())});
  return use;
}

bool IsUnknown(const ResourceUse& use) { return use.allocatable == 0 && use.before == 0 && use.after == 0; }

}  // namespace

Utilisation CompareUse(const ClusterView& before, const ClusterView& after, const ResourceNames& names) {
  const std::vector<ResourceId> ids = ShownResources(names);
  Utilisation utilisation;
  for (const ResourceId id : ids) utilisation.total.push_back({names.Name(id)});
  utilisation.total.push_back({kPods});
  after.live_nodes().ForEach([&](size_t slot) {
    const auto id = static_cast<NodeId>(slot);
    NodeUse use = UseOf(before.node(id), after.node(id), ids, names);
    for (size_t i = 0; i < use.resources.size(); ++i) {
      utilisation.total[i].allocatable += use.resources[i].allocatable;
      utilisation.total[i].before += use.resources[i].before;
      utilisation.total[i].after += use.resources[i].after;
    }
    std::erase_if(use.resources, IsUnknown);
    utilisation.nodes.push_back(std::move(use));
  });
  std::erase_if(utilisation.total, IsUnknown);
  std::sort(utilisation.nodes.begin(), utilisation.nodes.end(),
            [](const NodeUse& a, const NodeUse& b) { return a.node < b.node; });
  return utilisation;
}

}  // namespace berth::simulator
