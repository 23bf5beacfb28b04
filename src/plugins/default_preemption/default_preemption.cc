// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/default_preemption.h"

#include "base/hash.h"
#include "base/rng.h"
#include "plugins/default_preemption/default_preemption_args.h"
#include "plugins/default_preemption/pick_candidate.h"
#include "plugins/default_preemption/preemption.h"

#include <algorithm>
#include <memory>

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

  DefaultPreemption(const DefaultPreemptionArgs& args, Handle& handle) : args_(args), handle_(handle) {}

  // A pod whose victims are still to be evicted is not tried again before: it would choose more of them.
  Status PreEnqueue(const api::Pod& pod) const override {
    if (!handle_.writer().EvictsFor(PodUid(pod))) return Status::Success();
    return Status::Unresolvable("waiting for the preemption for this pod to be finished");
  }

  PostFilterResult PostFilter(CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                              const Verdicts& verdicts) const override {
    if (const std::string why = PreemptionForbidden(cluster, pod, verdicts); !why.empty()) {
      return {Status::Unschedulable("preemption: " + why), PostFilterResult::Mode::NoOp, {}};
    }
    const size_t mendable = CountMendableNodes(verdicts);
    const size_t start = mendable == 0 ? 0 : StartFor(*pod, mendable);
    const PreemptionSearch search = FindCandidates(handle_, state, pod, verdicts, start, CandidatesWanted(mendable));
    if (search.candidates.empty()) {
      if (!search.error.ok()) return {Status::FromError("preemption: " + search.error.Message()), {}, {}};
      // An earlier promise that cannot be kept is taken back.
      return {Status::Unschedulable("preemption: " + NoNodesAvailable(cluster.node_count(), search.reasons)),
              PostFilterResult::Mode::Override,
              {}};
    }
    const PreemptionCandidate& best = *BestCandidates(search.candidates, handle_.clock().Now()).front();
    if (Status status = Evict(best, pod); !status.ok()) return {status, PostFilterResult::Mode::NoOp, {}};
    return {Status::Success(), PostFilterResult::Mode::Override, best.node_name};
  }

  PreemptionDescription DescribePreemption(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
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
    // Whatever rejected the pod wakes it when its victims are gone; this plugin never does.
    return {{{EventResource::Pod, kDelete},
             [](const PodInfo&, const api::Object*, const api::Object*) {
               return Result<QueueingHint>(QueueingHint::QueueSkip);
             },
             /*by_template=*/true}};
  }

 private:
  size_t CandidatesWanted(size_t nodes) const {
    const auto share = nodes * static_cast<size_t>(args_.min_candidate_nodes_percentage) / 100;
    return std::min(nodes, std::max(share, static_cast<size_t>(args_.min_candidate_nodes_absolute)));
  }

  Status Evict(const PreemptionCandidate& candidate, const PodInfo& pod) const {
    const std::string message =
        fmt::format("{}: preempting to accommodate a higher priority pod", handle_.profile_name());
    for (const PodInfoPtr& victim : candidate.victims) {
      const bool was_waiting = handle_.waiting_pods().With(
          PodUid(*victim->pod), [&](WaitingPod& waiting) { waiting.Reject(kDefaultPreemption, "preempted"); });
      if (!was_waiting) {
        if (Result<void> evicted = handle_.writer().Evict(*victim->pod, message, PodUid(*pod)); !evicted) {
          return Status::FromError("preemption: " + evicted.error().message);
        }
      }
      handle_.events().Record(*victim->pod, "Normal", "Preempted", "Preempting",
                              fmt::format("Preempted by pod {} on node {}{}", pod->meta.uid, candidate.node_name,
                                          was_waiting ? " (in kube-scheduler memory)." : ""));
    }
    // The room is for this pod now: less important pods that were promised the node look elsewhere.
    const std::span<const PodInfoPtr> promised = handle_.nominator().PodsFor(candidate.node_name);
    const std::vector<PodInfoPtr> nominated(promised.begin(), promised.end());
    for (const PodInfoPtr& other : nominated) {
      if (other->pod->priority() >= pod->priority()) continue;
      handle_.nominator().Remove(PodUid(*other->pod));
      if (Result<void> cleared = handle_.writer().ClearNomination(*other->pod); !cleared) {
        return Status::FromError("preemption: " + cleared.error().message);
      }
    }
    return Status::Success();
  }

  // Spreads the start of the search over the nodes: by chance as far as pods are concerned, and always the same for
  // one.
  static size_t StartFor(const api::Pod& pod, size_t mendable) { return Rng(Fnv1a(PodUid(pod))).Below(mendable); }

  const DefaultPreemptionArgs args_;
  Handle& handle_;
};

}  // namespace

PluginEntry DefaultPreemptionEntry() { return Entry<DefaultPreemption>(kDefaultPreemption); }

}  // namespace berth::plugins
