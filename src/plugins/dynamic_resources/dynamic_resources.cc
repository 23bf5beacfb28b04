// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources.h"

#include "framework/event_objects.h"
#include "framework/handle.h"
#include "plugins/dynamic_resources/dynamic_resources_args.h"

#include <memory>

namespace berth::plugins {
namespace {

using namespace framework;

// Says that PreFilter ran: PostFilter without it is an error upstream, and users see its text.
struct Looked : CloneableState<Looked> {
  void Clear() {}
};
constexpr StateKey<Looked> kLooked{"DynamicResources/PreFilter"};

bool HasClaims(const PodInfo& pod) { return !pod.spec().resource_claims.empty(); }

Status ClaimsNotAllocated() {
  return Status::Unresolvable("pod has resource claims, which this scheduler does not allocate yet");
}

Result<QueueingHint> AfterClaimGenerated(const PodInfo& pod, const api::Object*, const api::Object* after) {
  const api::Pod* changed = ObjectAs<api::Pod>(after);
  return changed == nullptr || PodUid(*changed) == PodUid(*pod) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

// Stands in for dynamic resource allocation: takes its part at every point it serves upstream, so that pods without
// claims meet exactly what they meet there, and refuses pods with claims rather than place them without devices.
class DynamicResources final : public PreEnqueuePlugin,
                               public PreFilterPlugin,
                               public FilterPlugin,
                               public FilterAllPlugin,
                               public PostFilterPlugin,
                               public ScorePlugin,
                               public ScoreAllPlugin,
                               public NormalizeScorePlugin,
                               public ReservePlugin,
                               public PreBindPlugin,
                               public EnqueueExtensions,
                               public VerdictsByTemplate {
 public:
  using Args = DynamicResourcesArgs;

  explicit DynamicResources(const Handle& handle)
      : enabled_(handle.features().Enabled(features::Gate::DynamicResourceAllocation)) {}

  // The refusal comes in PreFilter, where it is told to the user; a gated pod waits in silence.
  Status PreEnqueue(const api::Pod&) const override { return Status::Success(); }

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster&) override {
    if (!enabled_) return {Status::Skip(), std::nullopt};
    state.Write(kLooked);
    return {HasClaims(pod) ? ClaimsNotAllocated() : Status::Skip(), std::nullopt};
  }

  // Reached only where a configuration leaves PreFilter out.
  Status Filter(const CycleState&, const PodInfo& pod, const NodeInfo&) const override {
    return enabled_ && HasClaims(pod) ? ClaimsNotAllocated() : Status::Success();
  }
  Status FilterAll(const CycleState&, const PodInfo& pod, const ClusterView&, Verdicts& verdicts) const override {
    if (enabled_ && HasClaims(pod)) verdicts.RejectEverything(verdicts.Intern(ClaimsNotAllocated()));
    return Status::Success();
  }

  PostFilterResult PostFilter(CycleState& state, const PodInfo&, IndexedCluster&, const Verdicts&) override {
    if (!enabled_) return {Status::Unschedulable("plugin disabled"), PostFilterResult::Mode::NoOp, {}};
    if (state.Read(kLooked) == nullptr) return {Status::FromError("not found"), PostFilterResult::Mode::NoOp, {}};
    return {Status::Unschedulable("no new claims to deallocate"), PostFilterResult::Mode::NoOp, {}};
  }

  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo&) const override { return 0; }
  Status ScoreAll(const CycleState&, const PodInfo&, const ClusterView&, ScoreColumn& scores) const override {
    scores.SetAll(0);
    return Status::Success();
  }
  Status NormalizeScore(const CycleState&, const PodInfo&, ScoreColumn& scores) const override {
    if (enabled_) DefaultNormalize(scores, /*reverse=*/false);
    return Status::Success();
  }

  Status Reserve(CycleState&, const PodInfo&, std::string_view) override { return Status::Success(); }
  void Unreserve(CycleState&, const PodInfo&, std::string_view) override {}

  PreFlightResult PreBindPreFlight(CycleState&, const PodInfo&, std::string_view) override {
    return {Status::Skip(), /*allow_parallel=*/true};
  }
  BindingProgress PreBind(CycleState&, const PodInfo&, std::string_view, const Wake&, BindingWork&) override {
    return BindingProgress::Done(Status::Success());
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    if (!enabled_) return {};
    return {{{EventResource::Node, kAdd | kUpdateNodeLabel | kUpdateNodeAllocatable}, nullptr, /*by_template=*/true},
            {{EventResource::ResourceClaim, kAdd | kUpdate}, nullptr, /*by_template=*/true},
            {{EventResource::Pod, kUpdatePodGeneratedResourceClaim}, AfterClaimGenerated},
            {{EventResource::DeviceClass, kAdd | kUpdate}, nullptr, /*by_template=*/true},
            {{EventResource::ResourceSlice, kAdd | kUpdate}, nullptr, /*by_template=*/true}};
  }

  bool FollowFromTemplate(const PodInfo& pod) const override { return pod.spec().resource_claims.empty(); }

 private:
  bool enabled_;  // else it does nothing, whoever enabled it
};

}  // namespace

PluginEntry DynamicResourcesEntry() { return Entry<DynamicResources>(kDynamicResources); }

}  // namespace berth::plugins
