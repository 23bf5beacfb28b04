// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_restrictions/volume_restrictions.h"

#include "framework/event_objects.h"
#include "framework/handle.h"
#include "plugins/storage/changed_rows.h"
#include "plugins/storage/claims.h"
#include "plugins/volume_restrictions/disk_conflict.h"

#include <algorithm>
#include <array>
#include <set>

namespace berth::plugins {
namespace {

using namespace framework;

struct RestrictionsState : CloneableState<RestrictionsState> {
  static constexpr bool kEndsWithDecision = true;
  bool has_disks = false;
  const Bitset* nodes_with_disks = nullptr;  // those worth a look; only if the pod has disks
  std::set<std::string> exclusive_claims;    // names of the pod's ReadWriteOncePod claims
  int conflicts = 0;                         // uses of these by pods in the cluster
};

constexpr StateKey<RestrictionsState> kState{"VolumeRestrictions/PreFilter"};

Status DiskInUse() { return Status::Unschedulable("node(s) had no available disk"); }
Status ClaimInUse() {
  return Status::Unschedulable(
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "
      "pod");
}

bool HasConflictingDisk(const PodInfo& pod, const NodeInfo& node) {
  return std::any_of(node.pods.begin(), node.pods.end(),
                     [&](const PodInfoPtr& other) { return DisksConflict(*pod, **other); });
}

Result<QueueingHint> AfterPodDeleted(const PodInfo& pod, const api::Object* before, const api::Object*) {
  const auto* deleted = ObjectAs<api::Pod>(before);
  if (deleted == nullptr) return QueueingHint::Queue;
  if (deleted->meta.namespace_ != pod->meta.namespace_) return QueueingHint::QueueSkip;
  if (DisksConflict(*pod, *deleted)) return QueueingHint::Queue;
  for (const api::Volume& mine : pod.spec().volumes) {
    const auto* claim = std::get_if<api::ClaimVolume>(&mine.source);
    if (claim == nullptr) continue;
    for (const api::Volume& theirs : deleted->spec->volumes) {
      const auto* freed = std::get_if<api::ClaimVolume>(&theirs.source);
      if (freed != nullptr && freed->claim_name == claim->claim_name) return QueueingHint::Queue;
    }
  }
  return QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterClaimAdded(const PodInfo& pod, const api::Object*, const api::Object* after) {
  const auto* added = ObjectAs<api::PersistentVolumeClaim>(after);
  if (added == nullptr) return QueueingHint::Queue;
  if (added->meta.namespace_ != pod->meta.namespace_) return QueueingHint::QueueSkip;
  for (const api::Volume& volume : pod.spec().volumes) {
    const auto* claim = std::get_if<api::ClaimVolume>(&volume.source);
    if (claim != nullptr && claim->claim_name == added->meta.name) return QueueingHint::Queue;
  }
  return QueueingHint::QueueSkip;
}

class VolumeRestrictions final : public PreFilterPlugin,
                                 public PreFilterExtensions,
                                 public FilterPlugin,
                                 public FilterAllPlugin,
                                 public EnqueueExtensions,
                                 public VerdictsByTemplate {
 public:
  static constexpr std::array kReads = {api::KindOf<api::PersistentVolumeClaim>()};

  explicit VolumeRestrictions(Handle& handle) : handle_(handle) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) override {
    if (pod.spec().volumes.empty()) return {Status::Skip(), {}};
    auto found = std::make_unique<RestrictionsState>();
    found->has_disks = HasRestrictedDisk(*pod);
    for (const api::Volume& volume : pod.spec().volumes) {
      const auto* use = std::get_if<api::ClaimVolume>(&volume.source);
      if (use == nullptr) continue;
      const api::PersistentVolumeClaim* claim = handle_.lister().FindClaim(pod->meta.namespace_, use->claim_name);
      if (claim == nullptr) return {Status::Unresolvable(storage::ClaimNotFound(use->claim_name)), {}};
      const std::vector<std::string>& modes = claim->access_modes;
      if (std::find(modes.begin(), modes.end(), storage::kReadWriteOncePod) == modes.end()) continue;
      if (!found->exclusive_claims.insert(use->claim_name).second) continue;
      if (cluster.ClaimUsers(claim->meta.Key()) > 0) ++found->conflicts;
    }
    if (!found->has_disks && found->conflicts == 0) return {Status::Skip(), {}};
    if (found->has_disks) found->nodes_with_disks = &NodesWithDisks(cluster);
    state.Write(kState, std::move(found));
    return {};
  }

  Status AddPod(CycleState& state, const PodInfo&, const PodInfo& added, const NodeInfo&) const override {
    return CountUses(state, added, +1);
  }
  Status RemovePod(CycleState& state, const PodInfo&, const PodInfo& removed, const NodeInfo&) const override {
    return CountUses(state, removed, -1);
  }

  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) const override {
    const RestrictionsState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    if (found->has_disks && HasConflictingDisk(pod, node)) return DiskInUse();
    return found->conflicts > 0 ? ClaimInUse() : Status::Success();
  }

  Status FilterAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const RestrictionsState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    if (found->has_disks) {
      Bitset in_use = *found->nodes_with_disks;
      in_use.And(verdicts.passing());
      const Bitset with_disks = in_use;
      with_disks.ForEach([&](size_t id) {
        if (!HasConflictingDisk(pod, cluster.node(static_cast<NodeId>(id)))) in_use.Reset(id);
      });
      if (in_use.Any()) verdicts.RejectAll(in_use, verdicts.Intern(DiskInUse()));
    }
    if (found->conflicts > 0) verdicts.RejectEverything(verdicts.Intern(ClaimInUse()));
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    return {{{EventResource::Pod, kDelete}, AfterPodDeleted, /*by_template=*/true},
            {{EventResource::Node, kAdd}, nullptr, /*by_template=*/true},
            {{EventResource::PersistentVolumeClaim, kAdd}, AfterClaimAdded, /*by_template=*/true}};
  }

  bool FollowFromTemplate(const PodInfo& pod) const override { return !storage::UsesClaims(*pod); }

 private:
  static Status NoState() { return Status::FromError("cannot read \"PreFilterVolumeRestrictions\" from cycleState"); }

  // By name alone, whatever the namespace: upstream counts so.
  static Status CountUses(CycleState& state, const PodInfo& pod, int sign) {
    RestrictionsState* found = state.Mutable(kState);
    if (found == nullptr) return NoState();
    for (const api::Volume& volume : pod.spec().volumes) {
      const auto* use = std::get_if<api::ClaimVolume>(&volume.source);
      if (use != nullptr && found->exclusive_claims.contains(use->claim_name)) found->conflicts += sign;
    }
    return Status::Success();
  }

  // Nodes with a pod that uses a restricted disk: hardly any, so they are remembered rather than sought every time.
  const Bitset& NodesWithDisks(const ClusterView& cluster) {
    nodes_with_disks_.Resize(cluster.node_slots());
    changed_rows_.ForEach(cluster, [&](NodeId id) {
      const auto has_disk = [](const PodInfoPtr& pod) { return HasRestrictedDisk(**pod); };
      const NodeInfo* row = cluster.live_nodes().Test(id) ? &cluster.node(id) : nullptr;
      nodes_with_disks_.Assign(id, row != nullptr && std::any_of(row->pods.begin(), row->pods.end(), has_disk));
    });
    return nodes_with_disks_;
  }

  Handle& handle_;
  // Caught up with the cluster in PreFilter.
  storage::ChangedRows changed_rows_;
  Bitset nodes_with_disks_;
};

}  // namespace

PluginEntry VolumeRestrictionsEntry() { return Entry<VolumeRestrictions>(kVolumeRestrictions); }

}  // namespace berth::plugins
