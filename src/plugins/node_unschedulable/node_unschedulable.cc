// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_unschedulable/node_unschedulable.h"

#include "framework/event_objects.h"

namespace berth::plugins {
namespace {

using namespace framework;

const Status& Cordoned() {
  static const Status kStatus = Status::Unresolvable("node(s) were unschedulable").By(kNodeUnschedulable);
  return kStatus;
}

bool ToleratesCordon(const api::Pod& pod) {
  static const api::Taint kCordon{"node.kubernetes.io/unschedulable", "", api::TaintEffect::NoSchedule};
  return api::Tolerated(kCordon, pod.spec->tolerations);
}

// Worth a try when a node appears uncordoned or is uncordoned.
Result<QueueingHint> AfterNodeChange(const PodInfo&, const api::Object* before, const api::Object* after) {
  const api::Node* old_node = ObjectAs<api::Node>(before);
  const api::Node* new_node = ObjectAs<api::Node>(after);
  if (new_node == nullptr) return QueueingHint::Queue;
  const bool opened = !new_node->unschedulable && (old_node == nullptr || old_node->unschedulable);
  return opened ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterTolerationChange(const PodInfo& pod, const api::Object*, const api::Object* after) {
  const api::Pod* changed = ObjectAs<api::Pod>(after);
  if (changed == nullptr) return QueueingHint::Queue;
  return PodUid(*changed) == PodUid(*pod) && ToleratesCordon(*changed) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

class NodeUnschedulable final : public FilterPlugin,
                                public FilterAllPlugin,
                                public EnqueueExtensions,
                                public VerdictsByTemplate,
                                public DescribeRejectionPlugin {
 public:
  Status Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    return !node.node->unschedulable || ToleratesCordon(*pod) ? Status::Success() : Cordoned();
  }

  Status FilterAll(const CycleState&, const PodInfo& pod, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const Bitset& cordoned = cluster.unschedulable_nodes();
    if (cordoned.None() || ToleratesCordon(*pod)) return Status::Success();
    verdicts.RejectAll(cordoned, verdicts.Intern(Cordoned()));
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    return {{{EventResource::Node, kAdd | kUpdateNodeTaint}, AfterNodeChange, /*by_template=*/true},
            {{EventResource::Pod, kUpdatePodToleration}, AfterTolerationChange}};
  }

  RejectionDescription DescribeRejection(const CycleState&, const PodInfo&, const NodeInfo&,
                                         const Status&) const override {
    return {{Obstacle{"cordoned (spec.unschedulable)", "", ""}}, {{Remedy::Of::Node, "uncordon", {}}}};
  }
};

}  // namespace

PluginEntry NodeUnschedulableEntry() { return Entry<NodeUnschedulable>(kNodeUnschedulable); }

}  // namespace berth::plugins
