// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_binding.h"

#include "framework/handle.h"
#include "plugins/storage/claims.h"
#include "plugins/storage/volumes_signature.h"
#include "plugins/volume_binding/binding_hints.h"
#include "plugins/volume_binding/find_volumes.h"
#include "plugins/volume_binding/find_volumes_everywhere.h"
#include "plugins/volume_binding/pod_claims.h"
#include "plugins/volume_binding/volume_binding_args.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using namespace framework;

// What Reserve has set aside: objects as they will be once bound.
struct Reservation {
  std::vector<VolumePtr> volumes;
  std::vector<ClaimPtr> claims;
  std::string first_claim;  // one of those that still have to be bound; empty when all are
};

struct BindingState : CloneableState<BindingState> {
  std::shared_ptr<const PodClaims> claims;
  std::shared_ptr<const Reservation> reservation;  // null before Reserve
};

constexpr StateKey<BindingState> kState{"VolumeBinding"};

// The volume as it looks once it is bound to the claim; null when it looks so already.
VolumePtr BoundTo(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  const bool is_ours = IsBoundTo(volume, claim);
  const bool is_exact = is_ours && volume.claim_ref->uid == claim.meta.uid;
  if (is_exact) return nullptr;
  api::PersistentVolume bound = volume;
  bound.claim_ref = {"PersistentVolumeClaim", claim.meta.namespace_, claim.meta.name, claim.meta.uid};
  if (!is_ours && !bound.meta.annotations.Has(storage::kBoundByController)) {
    bound.meta.annotations.Set(storage::kBoundByController, "yes");
  }
  return std::make_shared<const api::PersistentVolume>(std::move(bound));
}

ClaimPtr WithSelectedNode(const api::PersistentVolumeClaim& claim, std::string_view node) {
  api::PersistentVolumeClaim selected = claim;
  selected.meta.annotations.Set(storage::kSelectedNode, node);
  return std::make_shared<const api::PersistentVolumeClaim>(std::move(selected));
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
                            public SignPlugin,
                            public VerdictsByTemplate {
 public:
  using Args = VolumeBindingArgs;

  explicit VolumeBinding(Handle& handle) : handle_(handle) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, const ClusterView&) const override {
    if (Status status = CheckClaims(*pod, handle_.lister()); !status.ok()) return {std::move(status), {}};
    Result<PodClaims> claims = LookUpClaims(*pod, handle_.lister(), assumptions_);
    if (!claims) return {Status::FromError(claims.error()), {}};
    if (claims->has_immediate) return {Status::Unresolvable("pod has unbound immediate PersistentVolumeClaims"), {}};
    auto found = std::make_unique<BindingState>();
    found->claims = std::make_shared<const PodClaims>(*std::move(claims));
    state.Write(kState, std::move(found));
    return {};
  }

  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const BindingState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    const Result<FoundVolumes> volumes = FindVolumes(*found->claims, *node.node, handle_.lister());
    return volumes ? ConflictStatus(volumes->conflicts) : Status::FromError(volumes.error());
  }
  Dependence filter_dependence() const override { return Dependence::Cluster; }

  Status FilterAll(const CycleState& state, const PodInfo&, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const BindingState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    return FindVolumesEverywhere(*found->claims, cluster, handle_.lister(), verdicts);
  }

  // Storage is scored only with upstream's gate StorageCapacityScoring, which is off.
  Status PreScore(CycleState&, const PodInfo&, const ClusterView&, std::span<const NodeId>) const override {
    return Status::Skip();
  }
  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo&) const override { return int64_t{0}; }
  Dependence score_dependence() const override { return Dependence::Nothing; }
  Status ScoreAll(const CycleState&, const PodInfo&, const ClusterView&, ScoreColumn& scores) const override {
    scores.SetAll(0);
    return Status::Success();
  }

  Status Reserve(CycleState& state, const PodInfo&, std::string_view node) override {
    BindingState* found = state.Mutable(kState);
    if (found == nullptr) return Status::Success();  // the pod has no claims
    const ClusterView& cluster = handle_.cluster();
    const NodeId id = cluster.FindNode(node);
    if (id == kNoNode) return Status::FromError(fmt::format("node \"{}\" not found", node));
    const Result<FoundVolumes> volumes = FindVolumes(*found->claims, *cluster.node(id).node, handle_.lister());
    if (!volumes) return Status::FromError(volumes.error());
    found->reservation = Assume(*found->claims, *volumes, node);
    return Status::Success();
  }

  void Unreserve(CycleState& state, const PodInfo&, std::string_view) override {
    const BindingState* found = state.Read(kState);
    if (found == nullptr || found->reservation == nullptr) return;
    for (const VolumePtr& volume : found->reservation->volumes) assumptions_.volumes.Restore(*volume);
    for (const ClaimPtr& claim : found->reservation->claims) assumptions_.claims.Restore(*claim);
  }

  PreFlightResult PreBindPreFlight(CycleState& state, const PodInfo&, std::string_view) override {
    return {ClaimToBind(state).empty() ? Status::Skip() : Status::Success(), true};
  }

  Status PreBind(CycleState& state, const PodInfo&, std::string_view node, const std::stop_token&) override {
    const std::string claim = ClaimToBind(state);
    if (claim.empty()) return Status::Success();
    return Status::FromError(fmt::format(
        "binding volumes needs a cluster connection: persistentvolumeclaim \"{}\" is not bound, and only a Kubernetes "
        "cluster can bind it for node \"{}\"",
        claim, node));
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override { return VolumeBindingEvents(); }

  bool FollowFromTemplate(const PodInfo& pod) const override { return !storage::UsesClaims(*pod); }

  Signature Sign(const PodInfo& pod) const override { return storage::SignVolumes(pod); }

 private:
  static Status NoState() { return Status::FromError("cannot read \"VolumeBinding\" from cycleState"); }

  static std::string ClaimToBind(const CycleState& state) {
    const BindingState* found = state.Read(kState);
    return found == nullptr || found->reservation == nullptr ? std::string() : found->reservation->first_claim;
  }

  // Lets later cycles see the volumes as bound and the claims as given a node.
  std::shared_ptr<const Reservation> Assume(const PodClaims& claims, const FoundVolumes& found, std::string_view node) {
    auto reservation = std::make_shared<Reservation>();
    for (const std::vector<VolumeChoices>* unbound : {&claims.waiting, &claims.pinned}) {
      if (!unbound->empty()) reservation->first_claim = unbound->front().claim->meta.Key();
    }
    for (const FoundVolumes::Binding& binding : found.bindings) {
      VolumePtr bound = BoundTo(*binding.volume, *binding.claim);
      if (bound == nullptr) continue;
      assumptions_.volumes.Assume(bound);
      reservation->volumes.push_back(std::move(bound));
    }
    for (const ClaimPtr& claim : found.provisions) {
      ClaimPtr selected = WithSelectedNode(*claim, node);
      assumptions_.claims.Assume(selected);
      reservation->claims.push_back(std::move(selected));
    }
    return reservation;
  }

  Handle& handle_;
  Assumptions assumptions_;
};

}  // namespace

PluginEntry VolumeBindingEntry() { return Entry<VolumeBinding>(kVolumeBinding); }

}  // namespace berth::plugins
