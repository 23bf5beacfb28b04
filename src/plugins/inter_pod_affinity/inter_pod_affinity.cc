// SPDX-License-Identifier: Apache-2.0
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

#include "api/object.h"
#include "framework/handle.h"
#include "plugins/inter_pod_affinity/affinity_scores.h"
#include "plugins/inter_pod_affinity/affinity_state.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity_args.h"
#include "plugins/inter_pod_affinity/queueing_hints.h"

#include <array>
#include <memory>
#include <utility>

namespace berth::plugins {
namespace {

using namespace framework;
using affinity::AffinityScores;
using affinity::AffinityState;

constexpr StateKey<AffinityState> kAffinityState{"InterPodAffinity/PreFilter"};
constexpr StateKey<AffinityScores> kAffinityScores{"InterPodAffinity/PreScore"};

Status NoState() { return Status::FromError("InterPodAffinity is asked before it has prepared the cycle"); }

bool HasPreferences(const api::PodSpec& spec) {
  return spec.affinity != nullptr && ((spec.affinity->pod && !spec.affinity->pod->preferred.empty()) ||
                                      (spec.affinity->anti && !spec.affinity->anti->preferred.empty()));
}

class InterPodAffinity final : public PreFilterPlugin,
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
  using Args = InterPodAffinityArgs;
  static constexpr std::array kReads = {api::KindOf<api::Namespace>()};

  InterPodAffinity(const InterPodAffinityArgs& args, Handle& handle) : args_(args), handle_(handle) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) override {
    if (!pod.traits->affinity_problem.empty()) {
      return {Status::Unresolvable("parsing pod: " + pod.traits->affinity_problem), std::nullopt};
    }
    if (state.Write(kAffinityState).Prepare(cluster, pod, handle_.lister())) return {};
    state.Remove(kAffinityState);
    return {Status::Skip(), std::nullopt};
  }

  Status AddPod(CycleState& state, const PodInfo&, const PodInfo& added, const NodeInfo& node) const override {
    return Update(state, added, node, +1);
  }
  Status RemovePod(CycleState& state, const PodInfo&, const PodInfo& removed, const NodeInfo& node) const override {
    return Update(state, removed, node, -1);
  }

  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const AffinityState* prepared = state.Read(kAffinityState);
    return prepared != nullptr ? prepared->Judge(node) : NoState();
  }

  Status FilterAll(const CycleState& state, const PodInfo&, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const AffinityState* prepared = state.Read(kAffinityState);
    if (prepared == nullptr) return NoState();
    prepared->JudgeAll(cluster, verdicts);
    return Status::Success();
  }

  Status PreScore(CycleState& state, const PodInfo& pod, IndexedCluster& cluster, std::span<const NodeId>) override {
    if (args_.ignore_preferred_terms_of_existing_pods && !HasPreferences(pod.spec())) return Status::Skip();
    if (!pod.traits->affinity_problem.empty()) {
      return Status::FromError("failed to parse pod: " + pod.traits->affinity_problem);
    }
    if (state.Write(kAffinityScores).Prepare(cluster, pod, handle_.lister(), args_)) return Status::Success();
    state.Remove(kAffinityScores);
    return Status::Skip();
  }

  Result<int64_t> Score(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const AffinityScores* prepared = state.Read(kAffinityScores);
    if (prepared == nullptr) return Error{ErrorCode::Internal, NoState().Message()};
    return prepared->Of(node.id);
  }

  Status ScoreAll(const CycleState& state, const PodInfo&, const ClusterView&, ScoreColumn& scores) const override {
    const AffinityScores* prepared = state.Read(kAffinityScores);
    if (prepared == nullptr) return NoState();
    prepared->WriteAll(scores);
    return Status::Success();
  }

  Status NormalizeScore(const CycleState&, const PodInfo&, ScoreColumn& scores) const override {
    AffinityScores::Normalize(scores);
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override { return affinity::EventsToRegister(); }

 private:
  Status Update(CycleState& state, const PodInfo& changed, const NodeInfo& node, int64_t delta) const {
    AffinityState* prepared = state.Mutable(kAffinityState);
    if (prepared == nullptr) return NoState();
    prepared->Update(changed, node, handle_.lister(), delta);
    return Status::Success();
  }

  InterPodAffinityArgs args_;
  Handle& handle_;
};

}  // namespace

PluginEntry InterPodAffinityEntry() { return Entry<InterPodAffinity>(kInterPodAffinity); }

}  // namespace berth::plugins
