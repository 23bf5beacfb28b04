// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/pod_topology_spread.h"

#include "api/object.h"
#include "framework/handle.h"
#include "framework/node_scan.h"
#include "plugins/pod_topology_spread/constraint.h"
#include "plugins/pod_topology_spread/queueing_hints.h"
#include "plugins/pod_topology_spread/spread_scores.h"
#include "plugins/pod_topology_spread/spread_state.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace berth::plugins {
namespace {

using namespace framework;
using spread::FoundConstraints;
using spread::SpreadCounts;
using spread::SpreadScores;
using spread::SpreadState;

constexpr StateKey<SpreadState> kSpreadState{"PodTopologySpread/PreFilter"};
constexpr StateKey<SpreadScores> kSpreadScores{"PodTopologySpread/PreScore"};

const Status& MissingLabel() {
  static const Status kStatus =
      Status::Unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
          .By(kPodTopologySpread);
  return kStatus;
}
const Status& TooSkewed() {
  static const Status kStatus =
      Status::Unschedulable("node(s) didn't match pod topology spread constraints").By(kPodTopologySpread);
  return kStatus;
}
Status NoState() { return Status::FromError("PodTopologySpread is asked before it has prepared the cycle"); }

Status StatusOf(SpreadState::Verdict verdict) {
  switch (verdict) {
    case SpreadState::Verdict::Pass: return Status::Success();
    case SpreadState::Verdict::MissingLabel: return MissingLabel();
    case SpreadState::Verdict::TooSkewed: return TooSkewed();
  }
  return Status::Success();
}

void JudgeEach(const SpreadState& spread, Verdicts& verdicts) {
  const Bitset passing = verdicts.passing();
  passing.ForEach([&](size_t id) {
    const auto node = static_cast<NodeId>(id);
    const Status status = StatusOf(spread.Judge(node));
    if (!status.ok()) verdicts.Reject(node, verdicts.Intern(status));
  });
}

void RejectByConstraint(const SpreadCounts& counts, int64_t limit, Verdicts& verdicts) {
  const std::vector<int32_t>& domain_of_node = counts.column->domain_of_node;
  if (!counts.every_node_has_label) {
    RejectWhere(verdicts, MissingLabel(),
                [&](NodeId node) { return domain_of_node[node] == TopologyColumn::kMissing; });
  }
  if (counts.most <= limit) return;
  RejectWhere(verdicts, TooSkewed(),
              [&](NodeId node) { return counts.pods[static_cast<size_t>(domain_of_node[node] + 1)] > limit; });
}

class PodTopologySpread final : public PreFilterPlugin,
                                public PreFilterExtensions,
                                public FilterPlugin,
                                public FilterAllPlugin,
                                public PreScorePlugin,
                                public ScorePlugin,
                                public ScoreAllPlugin,
                                public NormalizeScorePlugin,
                                public EnqueueExtensions,
                                public VerdictsByTemplate {
 public:
  using Args = PodTopologySpreadArgs;
  static constexpr std::array kReads = {api::KindOf<api::Service>(), api::KindOf<api::ReplicationController>(),
                                        api::KindOf<api::ReplicaSet>(), api::KindOf<api::StatefulSet>()};

  PodTopologySpread(const PodTopologySpreadArgs& args, Handle& handle) : source_(args, handle) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) override {
    SpreadState& spread = state.Write(kSpreadState);
    FoundConstraints& constraints = spread.Renew();
    const Result<void> found = source_.Find(*pod, api::UnsatisfiableAction::DoNotSchedule, constraints);
    if (!found) return {Status::FromError("get constraints from pod: " + found.error().message), std::nullopt};
    if (constraints.list.empty()) {
      state.Remove(kSpreadState);
      return {Status::Skip(), std::nullopt};
    }
    spread.Count(cluster, *pod);
    return {};
  }

  Status AddPod(CycleState& state, const PodInfo& pod, const PodInfo& added, const NodeInfo& node) const override {
    return Update(state, *pod, *added, node, +1);
  }
  Status RemovePod(CycleState& state, const PodInfo& pod, const PodInfo& removed, const NodeInfo& node) const override {
    return Update(state, *pod, *removed, node, -1);
  }

  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const SpreadState* spread = state.Read(kSpreadState);
    return spread != nullptr ? StatusOf(spread->Judge(node.id)) : NoState();
  }

  Status FilterAll(const CycleState& state, const PodInfo&, const ClusterView&, Verdicts& verdicts) const override {
    const SpreadState* spread = state.Read(kSpreadState);
    if (spread == nullptr) return NoState();
    if (spread->changed()) {
      JudgeEach(*spread, verdicts);
    } else {
      for (size_t i = 0; i < spread->counts().size(); ++i) {
        RejectByConstraint(spread->counts()[i], spread->Limit(i), verdicts);
      }
    }
    return Status::Success();
  }

  Status PreScore(CycleState& state, const PodInfo& pod, IndexedCluster& cluster,
                  std::span<const NodeId> feasible) override {
    SpreadScores& scores = state.Write(kSpreadScores);
    FoundConstraints& constraints = scores.Renew();
    const Result<void> found = source_.Find(*pod, api::UnsatisfiableAction::ScheduleAnyway, constraints);
    if (!found) return Status::FromError("calculating preScoreState: " + found.error().message);
    if (constraints.list.empty()) {
      state.Remove(kSpreadScores);
      return Status::Skip();
    }
    scores.Count(cluster, *pod, source_.RequiresAllKeys(*pod), feasible);
    return Status::Success();
  }

  Result<int64_t> Score(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const SpreadScores* scores = state.Read(kSpreadScores);
    if (scores == nullptr) return Error{ErrorCode::Internal, NoState().Message()};
    return scores->Of(node);
  }

  Status ScoreAll(const CycleState& state, const PodInfo&, const ClusterView&, ScoreColumn& column) const override {
    const SpreadScores* scores = state.Read(kSpreadScores);
    if (scores == nullptr) return NoState();
    scores->WriteAll(column);
    return Status::Success();
  }

  Status NormalizeScore(const CycleState& state, const PodInfo&, ScoreColumn& column) const override {
    const SpreadScores* scores = state.Read(kSpreadScores);
    if (scores == nullptr) return NoState();
    scores->Normalize(column);
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override { return spread::EventsToRegister(source_); }

  // Default constraints select by the pod's owner.
  bool FollowFromTemplate(const PodInfo&) const override {
    return !source_.HasDefaults(api::UnsatisfiableAction::DoNotSchedule);
  }

 private:
  static Status Update(CycleState& state, const api::Pod& pod, const api::Pod& changed, const NodeInfo& node,
                       int32_t delta) {
    SpreadState* spread = state.Mutable(kSpreadState);
    if (spread == nullptr) return NoState();
    if (changed.meta.namespace_ == pod.meta.namespace_) spread->Update(changed, node.id, delta);
    return Status::Success();
  }

  spread::ConstraintSource source_;
};

}  // namespace

PluginEntry PodTopologySpreadEntry() { return Entry<PodTopologySpread>(kPodTopologySpread); }

}  // namespace berth::plugins
