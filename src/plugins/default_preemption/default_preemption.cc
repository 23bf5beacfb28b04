// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/default_preemption.h"

#include "api/object.h"
#include "base/hash.h"
#include "base/rng.h"
#include "plugins/default_preemption/default_preemption_args.h"
#include "plugins/default_preemption/pick_candidate.h"
#include "plugins/default_preemption/preemption.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using namespace framework;

class DefaultPreemption final : public PreEnqueuePlugin,
                                public PostFilterPlugin,
                                public EnqueueExtensions,
                                public VerdictsByTemplate,
                                public DescribePreemptionPlugin {
 public:
  using Args = DefaultPreemptionArgs;
  static constexpr std::array kReads = {api::KindOf<api::PodDisruptionBudget>()};

  DefaultPreemption(const DefaultPreemptionArgs& args, Handle& handle)
      : args_(args),
        handle_(handle),
        in_background_(handle.features().Enabled(features::Gate::SchedulerAsyncPreemption)) {}

  // A pod whose victims are still to be evicted is not tried again before: it would choose more of them.
  Status PreEnqueue(const api::Pod& pod) const override {
    if (!in_background_ || !handle_.evictor().IsPreempting(PodUid(pod))) return Status::Success();
    return Status::Unresolvable("waiting for the preemption for this pod to be finished");
  }

  PostFilterResult PostFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster,
                              const Verdicts& verdicts) override {
    PostFilterResult result = Search(state, pod, cluster, verdicts);
    if (result.status.code() != Code::Wait) handle_.evictor().NoteAttempt();
    return result;
  }

  PreemptionDescription DescribePreemption(const CycleState& state, const PodInfo& pod, IndexedCluster& cluster,
                                           const Verdicts& verdicts) const override {
    PreemptionDescription description{PreemptionForbidden(cluster, pod, verdicts), {}};
    if (!description.forbidden.empty()) return description;
    const PreemptionSearch search = FindCandidates(handle_, state, pod, verdicts, /*start=*/0, /*wanted=*/0);
    if (search.candidates.empty()) return description;
    const auto best = BestCandidates(search.candidates, handle_.clock().Now());
    for (const PreemptionCandidate& candidate : search.candidates) {
      description.choices.push_back({candidate.node_name, candidate.victims, candidate.pdb_violations,
                                     std::ranges::find(best, &candidate) != best.end()});
    }
    return description;
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    // Then no pod is ever rejected by this plugin.
    if (!in_background_) return {};
    // Whatever rejected the pod wakes it when its victims are gone; this plugin never does.
    return {{{EventResource::Pod, kDelete},
             [](const PodInfo&, const api::Object*, const api::Object*) {
               return Result<QueueingHint>(QueueingHint::QueueSkip);
             },
             /*by_template=*/true}};
  }

 private:
  PostFilterResult Search(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                          const Verdicts& verdicts) {
    if (const std::string why = PreemptionForbidden(cluster, pod, verdicts); !why.empty()) {
      return {Status::Unschedulable("preemption: " + why), PostFilterResult::Mode::NoOp, {}};
    }
    const size_t mendable = CountMendableNodes(verdicts);
    const size_t start = mendable == 0 ? 0 : StartFor(*pod, mendable);
    PreemptionSearch search = FindCandidates(handle_, state, pod, verdicts, start, CandidatesWanted(mendable));
    if (search.candidates.empty()) {
      if (!search.error.ok()) return {Status::FromError("preemption: " + search.error.Message()), {}, {}};
      // An earlier promise that cannot be kept is taken back.
      return {Status::Unschedulable("preemption: " + NoNodesAvailable(cluster.node_count(), search.reasons)),
              PostFilterResult::Mode::Override,
              {}};
    }
    return Begin(pod, cluster, std::move(search.candidates));
  }

  // Makes room on the best of the candidates that others leave.
  PostFilterResult Begin(const PodInfo& pod, const ClusterView& cluster, std::vector<PreemptionCandidate> candidates) {
    if (PreemptionReview* review = handle_.preemption_review()) {
      std::vector<PreemptionProposal> proposals;
      for (PreemptionCandidate& candidate : candidates) {
        proposals.push_back({candidate.node_name, std::move(candidate.victims), candidate.pdb_violations});
      }
      std::optional<PreemptionReview::Outcome> left = review->Review(pod, std::move(proposals));
      if (!left) return {Status::Wait(), {}, {}};
      if (!left->has_value()) return {Status::FromError("preemption: " + left->error().message), {}, {}};
      candidates.clear();
      for (PreemptionProposal& each : **left) {
        candidates.push_back(
            {cluster.FindNode(each.node), std::move(each.node), std::move(each.victims), each.budget_violations});
      }
    }
    if (candidates.empty()) return {Status::Unschedulable("preemption: no candidate node for preemption"), {}, {}};
    const PreemptionCandidate& best = *BestCandidates(candidates, handle_.clock().Now()).front();
    handle_.evictor().Preempt(pod, best.node_name, best.victims, kDefaultPreemption);
    return {Status::Success(), PostFilterResult::Mode::Override, best.node_name};
  }

  size_t CandidatesWanted(size_t nodes) const {
    const auto share = nodes * static_cast<size_t>(args_.min_candidate_nodes_percentage) / 100;
    return std::min(nodes, std::max(share, static_cast<size_t>(args_.min_candidate_nodes_absolute)));
  }

  // Where the search starts: random across pods, but always the same for one pod.
  static size_t StartFor(const api::Pod& pod, size_t mendable) { return Rng(Fnv1a(PodUid(pod))).Below(mendable); }

  const DefaultPreemptionArgs args_;
  Handle& handle_;
  const bool in_background_;  // victims are evicted while other pods are scheduled
};

}  // namespace

PluginEntry DefaultPreemptionEntry() { return Entry<DefaultPreemption>(kDefaultPreemption); }

}  // namespace berth::plugins
