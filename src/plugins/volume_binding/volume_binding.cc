// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_binding.h"

#include "api/object.h"
#include "framework/handle.h"
#include "plugins/storage/claims.h"
#include "plugins/volume_binding/asked_labels.h"
#include "plugins/volume_binding/binding_hints.h"
#include "plugins/volume_binding/check_bindings.h"
#include "plugins/volume_binding/find_volumes.h"
#include "plugins/volume_binding/find_volumes_everywhere.h"
#include "plugins/volume_binding/pod_claims.h"
#include "plugins/volume_binding/reservation.h"
#include "plugins/volume_binding/storage_scorer.h"
#include "plugins/volume_binding/volume_binding_args.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using namespace framework;

struct BindingState : CloneableState<BindingState> {
  std::shared_ptr<const PodClaims> claims;
  std::shared_ptr<const AskedLabels> labels;  // for FilterAll
  std::optional<Reservation> reservation;     // from Reserve to Unreserve
};

constexpr StateKey<BindingState> kState{"VolumeBinding"};

// Within what can be added to the time of day.
Duration BindTimeout(const VolumeBindingArgs& args) {
  constexpr int64_t kTenYears = int64_t{10} * 365 * 24 * 3600;
  return std::chrono::seconds(std::min(args.bind_timeout_seconds, kTenYears));
}

class VolumeBinding final : public PreFilterPlugin,
                            public FilterPlugin,
                            public FilterAllPlugin,
                            public PreScorePlugin,
                            public ScorePlugin,
                            public ScoreAllPlugin,
                            public ReservePlugin,
                            public PreBindPlugin,
                            public EnqueueExtensions,
                            public VerdictsByTemplate {
 public:
  using Args = VolumeBindingArgs;
  static constexpr std::array kReads = {api::KindOf<api::PersistentVolume>(), api::KindOf<api::PersistentVolumeClaim>(),
                                        api::KindOf<api::StorageClass>(),     api::KindOf<api::CsiNode>(),
                                        api::KindOf<api::CsiDriver>(),        api::KindOf<api::CsiStorageCapacity>()};

  VolumeBinding(const VolumeBindingArgs& args, Handle& handle) : handle_(handle), bind_timeout_(BindTimeout(args)) {
    if (handle.features().Enabled(features::Gate::StorageCapacityScoring)) {
      scorer_.emplace(args.shape.value_or(DefaultStorageShape()));
    }
  }

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) override {
    if (Status status = CheckClaims(*pod, handle_.lister()); !status.ok()) return {std::move(status), {}};
    Result<PodClaims> claims = LookUpClaims(*pod, handle_.lister(), assumptions_);
    if (!claims) return {Status::FromError(claims.error()), {}};
    if (claims->has_immediate) return {Status::Unresolvable("pod has unbound immediate PersistentVolumeClaims"), {}};
    auto found = std::make_unique<BindingState>();
    found->claims = std::make_shared<const PodClaims>(*std::move(claims));
    found->labels = std::make_shared<const AskedLabels>(*found->claims, cluster);
    state.Write(kState, std::move(found));
    return {};
  }

  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const BindingState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    const Result<FoundVolumes> volumes = FindVolumes(*found->claims, *node.node, handle_.lister());
    return volumes ? ConflictStatus(volumes->conflicts) : Failed("predicate", Status::FromError(volumes.error()));
  }

  Status FilterAll(const CycleState& state, const PodInfo&, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const BindingState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    Status status = FindVolumesEverywhere(*found->claims, *found->labels, cluster, handle_.lister(), verdicts);
    return status.ok() ? status : Failed("predicate", std::move(status));
  }

  // As upstream, pods without claims are not skipped: they score zero.
  Status PreScore(CycleState&, const PodInfo&, IndexedCluster&, std::span<const NodeId>) override {
    return scorer_ ? Status::Success() : Status::Skip();
  }

  Result<int64_t> Score(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const BindingState* found = state.Read(kState);
    if (!scorer_ || found == nullptr) return int64_t{0};
    BERTH_ASSIGN_OR_RETURN(const FoundVolumes volumes, FindVolumesForUnbound(*found->claims, *node.node));
    return scorer_->Score(volumes);
  }

  Status ScoreAll(const CycleState& state, const PodInfo&, const ClusterView& cluster,
                  ScoreColumn& scores) const override {
    const BindingState* found = state.Read(kState);
    if (!scorer_ || found == nullptr) {
      scores.SetAll(0);
      return Status::Success();
    }
    const Result<FoundEverywhere> volumes =
        FindVolumesForUnboundEverywhere(*found->claims, *found->labels, cluster, handle_.lister(), scores.feasible());
    if (!volumes) return Status::FromError(volumes.error());
    scorer_->ScoreAll(*volumes, scores);
    return Status::Success();
  }

  Status Reserve(CycleState& state, const PodInfo&, std::string_view node) override {
    BindingState* found = state.Mutable(kState);
    if (found == nullptr) return Status::Success();  // the pod has no claims
    const ClusterView& cluster = handle_.cluster();
    const NodeId id = cluster.FindNode(node);
    if (id == kNoNode) return Failed("assume", Status::FromError(fmt::format("node \"{}\" not found", node)));
    const Result<FoundVolumes> volumes = FindVolumes(*found->claims, *cluster.node(id).node, handle_.lister());
    if (!volumes) return Failed("assume", Status::FromError(volumes.error()));
    found->reservation = ReserveVolumes(*found->claims, *volumes, node, handle_.lister(), assumptions_);
    return Status::Success();
  }

  void Unreserve(CycleState& state, const PodInfo&, std::string_view) override {
    BindingState* found = state.Mutable(kState);
    if (found == nullptr || !found->reservation) return;
    GiveBack(*found->reservation, assumptions_);
    found->reservation.reset();
  }

  PreFlightResult PreBindPreFlight(CycleState& state, const PodInfo&, std::string_view) override {
    return {HasVolumesToBind(state) ? Status::Success() : Status::Skip(), /*allow_parallel=*/true};
  }

  // Writes one object after the other, and then waits for the volume controller and provisioners to do their part.
  BindingProgress PreBind(CycleState& state, const PodInfo&, std::string_view node, const Wake& wake,
                          BindingWork& work) override {
    if (!HasVolumesToBind(state)) return BindingProgress::Done(Status::Success());
    Reservation& reservation = *state.Mutable(kState)->reservation;
    if (reservation.patch) {
      if (wake.reason != Wake::Reason::Answer || wake.ticket != *reservation.patch) return BindingProgress::Wait();
      reservation.patch.reset();
      if (!wake.answer) return BindingProgress::Done(Failed("bind", Status::FromError(wake.answer.error())));
      NoteWritten(reservation, *wake.answer);
    }
    if (std::optional<ObjectPatch> patch = NextPatch(reservation)) {
      reservation.patch = work.Patch(*std::move(patch));
      return BindingProgress::Wait();
    }
    return AwaitBindings(reservation, node);
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override { return VolumeBindingEvents(); }

  bool FollowFromTemplate(const PodInfo& pod) const override { return !storage::UsesClaims(*pod); }

 private:
  static Status NoState() { return Status::FromError("cannot read \"VolumeBinding\" from cycleState"); }

  Status Failed(std::string_view stage, Status status) const {
    handle_.metrics().VolumeStageFailed(stage);
    return status;
  }

  static bool HasVolumesToBind(const CycleState& state) {
    const BindingState* found = state.Read(kState);
    return found != nullptr && found->reservation && !found->reservation->is_all_bound;
  }

  // Upstream looks every second. Here the objects that matter are watched, and only the deadline needs the clock.
  BindingProgress AwaitBindings(Reservation& reservation, std::string_view node) {
    const Timestamp now = handle_.clock().Now();
    if (!reservation.deadline) reservation.deadline = now + bind_timeout_;
    const Result<bool> is_bound = CheckBindings(reservation, node, handle_.cluster(), handle_.lister());
    if (!is_bound) {
      return BindingProgress::Done(Failed("bind", Status::FromError("binding volumes: " + is_bound.error().message)));
    }
    if (*is_bound) {
      Forget(reservation, assumptions_);
      return BindingProgress::Done(Status::Success());
    }
    if (now >= *reservation.deadline) {
      return BindingProgress::Done(Failed("bind", Status::FromError("binding volumes: context deadline exceeded")));
    }
    BindingProgress progress = BindingProgress::Wait();
    progress.wake_at = reservation.deadline;
    progress.wake_on = ObjectsToWatch(reservation, node, handle_.lister());
    return progress;
  }

  Handle& handle_;
  const Duration bind_timeout_;
  std::optional<StorageScorer> scorer_;  // with the gate StorageCapacityScoring
  // This profile's alone, as upstream. Should two profiles choose one volume, or two nodes for one claim, the second
  // write meets the first, and its pod is tried again.
  Assumptions assumptions_;
};

}  // namespace

PluginEntry VolumeBindingEntry() { return Entry<VolumeBinding>(kVolumeBinding); }

}  // namespace berth::plugins
