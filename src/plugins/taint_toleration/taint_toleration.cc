// SPDX-License-Identifier: Apache-2.0
#include "plugins/taint_toleration/taint_toleration.h"

#include "base/short_array.h"
#include "framework/event_objects.h"
#include "framework/handle.h"
#include "framework/node_scan.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using namespace framework;

// Clusters have few distinct sets of taints: so many are judged without asking for memory.
constexpr size_t kFewSets = 64;

const Status& Untolerated() {
  static const Status kStatus = Status::Unresolvable("node(s) had untolerated taint(s)").By(kTaintToleration);
  return kStatus;
}

bool Admits(const api::Taint& taint, const api::Pod& pod, bool may_compare) {
  const bool forbids = taint.effect == api::TaintEffect::NoSchedule || taint.effect == api::TaintEffect::NoExecute;
  return !forbids || api::Tolerated(taint, pod.spec->tolerations, may_compare);
}

bool Admits(std::span<const api::Taint> taints, const api::Pod& pod, bool may_compare) {
  return std::ranges::all_of(taints, [&](const api::Taint& taint) { return Admits(taint, pod, may_compare); });
}

// "gpu=true:NoSchedule", as kubectl writes it.
std::string TextOf(const api::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect == api::TaintEffect::NoExecute ? "NoExecute" : "NoSchedule");
}

int64_t CountUntoleratedPreferences(std::span<const api::Taint> taints, const api::Pod& pod, bool may_compare) {
  return std::ranges::count_if(taints, [&](const api::Taint& taint) {
    return taint.effect == api::TaintEffect::PreferNoSchedule &&
           !api::Tolerated(taint, pod.spec->tolerations, may_compare);
  });
}

// Worth a try when a node's taints used to keep the pod off and no longer do.
Result<QueueingHint> AfterNodeChange(const PodInfo& pod, const api::Object* before, const api::Object* after,
                                     bool may_compare) {
  const api::Node* old_node = ObjectAs<api::Node>(before);
  const api::Node* new_node = ObjectAs<api::Node>(after);
  if (new_node == nullptr) return QueueingHint::Queue;
  const bool was_closed = old_node == nullptr || !Admits(old_node->taints, *pod, may_compare);
  return was_closed && Admits(new_node->taints, *pod, may_compare) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterTolerationChange(const PodInfo& pod, const api::Object*, const api::Object* after) {
  const api::Pod* changed = ObjectAs<api::Pod>(after);
  return changed == nullptr || PodUid(*changed) == PodUid(*pod) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

class TaintToleration final : public FilterPlugin,
                              public FilterAllPlugin,
                              public PreScorePlugin,
                              public ScorePlugin,
                              public ScoreAllPlugin,
                              public NormalizeScorePlugin,
                              public EnqueueExtensions,
                              public VerdictsByTemplate,
                              public DescribeRejectionPlugin {
 public:
  explicit TaintToleration(const Handle& handle)
      : may_compare_(handle.features().Enabled(features::Gate::TaintTolerationComparisonOperators)) {}

  Status Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    return Admits(node.node->taints, *pod, may_compare_) ? Status::Success() : Untolerated();
  }

  Status FilterAll(const CycleState&, const PodInfo& pod, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const TaintColumn taints = cluster.taints();
    ShortArray<uint8_t, kFewSets> is_closed(taints.sets.size(), 0);  // by set
    bool any_closed = false;
    for (size_t set = 1; set < taints.sets.size(); ++set) {
      if (Admits(taints.sets[set], *pod, may_compare_)) continue;
      is_closed[set] = 1;
      any_closed = true;
    }
    if (!any_closed) return Status::Success();

    RejectWhere(verdicts, Untolerated(), [&](NodeId node) { return is_closed[taints.set_of_node[node]]; });
    return Status::Success();
  }

  // Nothing to prepare: Score reads the tolerations as they stand. The point is served because upstream serves it.
  Status PreScore(CycleState&, const PodInfo&, IndexedCluster&, std::span<const NodeId>) override {
    return Status::Success();
  }

  Result<int64_t> Score(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    return CountUntoleratedPreferences(node.node->taints, *pod, may_compare_);
  }

  Status ScoreAll(const CycleState&, const PodInfo& pod, const ClusterView& cluster,
                  ScoreColumn& scores) const override {
    const TaintColumn taints = cluster.taints();
    ShortArray<int64_t, kFewSets> score_of_set(taints.sets.size(), 0);
    int64_t highest = 0;
    for (size_t set = 1; set < taints.sets.size(); ++set) {
      score_of_set[set] = CountUntoleratedPreferences(taints.sets[set], *pod, may_compare_);
      highest = std::max(highest, score_of_set[set]);
    }
    scores.SetAll(0);
    if (highest == 0) return Status::Success();
    const std::span<int64_t> values = scores.MutableValues();
    for (const NodeId node : scores.feasible()) values[node] = score_of_set[taints.set_of_node[node]];
    return Status::Success();
  }

  Status NormalizeScore(const CycleState&, const PodInfo&, ScoreColumn& scores) const override {
    DefaultNormalize(scores, /*reverse=*/true);
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    const auto after_node_change = [may_compare = may_compare_](const PodInfo& pod, const api::Object* before,
                                                                const api::Object* after) {
      return AfterNodeChange(pod, before, after, may_compare);
    };
    return {{{EventResource::Node, kAdd | kUpdateNodeTaint}, after_node_change, /*by_template=*/true},
            {{EventResource::Pod, kUpdatePodToleration}, AfterTolerationChange}};
  }

  RejectionDescription DescribeRejection(const CycleState&, const PodInfo& pod, const NodeInfo& node,
                                         const Status&) const override {
    RejectionDescription description;
    Remedy tolerate{Remedy::Of::Pod, "tolerate", {}};
    for (const api::Taint& taint : node.node->taints) {
      if (Admits(taint, *pod, may_compare_)) continue;
      description.lacks.push_back(Obstacle{"taint", TextOf(taint), ""});
      tolerate.objects.push_back(TextOf(taint));
    }
    description.remedies.push_back(std::move(tolerate));
    return description;
  }

 private:
  bool may_compare_;  // tolerations may say Lt and Gt
};

}  // namespace

PluginEntry TaintTolerationEntry() { return Entry<TaintToleration>(kTaintToleration); }

}  // namespace berth::plugins
