// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_name/node_name.h"

#include "framework/handle.h"

namespace berth::plugins {
namespace {

using namespace framework;

const Status& WrongNode() {
  static const Status kStatus = Status::Unresolvable("node(s) didn't match the requested node name").By(kNodeName);
  return kStatus;
}

class NodeName final : public FilterPlugin,
                       public FilterAllPlugin,
                       public EnqueueExtensions,
                       public VerdictsByTemplate {
 public:
  Status Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    return pod->node_name.empty() || pod->node_name == node.name() ? Status::Success() : WrongNode();
  }

  Status FilterAll(const CycleState&, const PodInfo& pod, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    if (pod->node_name.empty()) return Status::Success();
    Bitset named(cluster.node_slots());
    if (const NodeId id = cluster.FindNode(pod->node_name); id != kNoNode) named.Set(id);
    verdicts.RejectOutside(named, verdicts.Intern(WrongNode()));
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    return {{{EventResource::Node, kAdd}, nullptr, /*by_template=*/true}};
  }
};

}  // namespace

PluginEntry NodeNameEntry() { return Entry<NodeName>(kNodeName); }

}  // namespace berth::plugins
