// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_ports/node_ports.h"

#include "framework/event_objects.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using namespace framework;

const Status& PortsTaken() {
  static const Status kStatus =
      Status::Unschedulable("node(s) didn't have free ports for the requested pod ports").By(kNodePorts);
  return kStatus;
}

bool Conflict(std::span<const HostPort> wanted, std::span<const HostPort> used) {
  return std::ranges::any_of(wanted, [&](const HostPort& port) {
    return std::ranges::any_of(used, [&](const HostPort& other) { return port.ConflictsWith(other); });
  });
}

// Worth a try when the pod that left had a node, or was promised one, and held a port that the waiting pod wants.
Result<QueueingHint> AfterPodDeleted(const PodInfo& pod, const api::Object* before, const api::Object*) {
  const api::Pod* deleted = ObjectAs<api::Pod>(before);
  if (deleted == nullptr) return QueueingHint::Queue;
  if (deleted->node_name.empty() && deleted->status->nominated_node_name.empty()) return QueueingHint::QueueSkip;
  return Conflict(pod.traits->host_ports, HostPortsOf(*deleted->spec)) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

class NodePorts final : public PreFilterPlugin,
                        public FilterPlugin,
                        public FilterAllPlugin,
                        public EnqueueExtensions,
                        public VerdictsByTemplate,
                        public DescribeRejectionPlugin {
 public:
  PreFilterResult PreFilter(CycleState&, const PodInfo& pod, IndexedCluster&) override {
    return {pod.traits->host_ports.empty() ? Status::Skip() : Status::Success(), std::nullopt};
  }

  Status Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    return Conflict(pod.traits->host_ports, node.used_ports) ? PortsTaken() : Status::Success();
  }

  Status FilterAll(const CycleState&, const PodInfo& pod, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    Bitset candidates = verdicts.passing();
    candidates.And(cluster.nodes_with_host_ports());
    Verdicts::Id taken = Verdicts::kPass;
    candidates.ForEach([&](size_t index) {
      const NodeId id = static_cast<NodeId>(index);
      if (!Conflict(pod.traits->host_ports, cluster.node(id).used_ports)) return;
      if (taken == Verdicts::kPass) taken = verdicts.Intern(PortsTaken());
      verdicts.Reject(id, taken);
    });
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    return {{{EventResource::Pod, kDelete}, AfterPodDeleted, /*by_template=*/true},
            {{EventResource::Node, kAdd}, nullptr, /*by_template=*/true}};
  }

  RejectionDescription DescribeRejection(const CycleState&, const PodInfo& pod, const NodeInfo& node,
                                         const Status&) const override {
    RejectionDescription description;
    for (const HostPort& port : pod.traits->host_ports) {
      if (!Conflict({&port, 1}, node.used_ports)) continue;
      description.lacks.push_back(Obstacle{"host port", fmt::format("{}/{}", port.port, port.protocol), "is taken"});
    }
    return description;
  }
};

}  // namespace

PluginEntry NodePortsEntry() { return Entry<NodePorts>(kNodePorts); }

}  // namespace berth::plugins
