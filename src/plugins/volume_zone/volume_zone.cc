// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_zone/volume_zone.h"

#include "framework/event_objects.h"
#include "framework/handle.h"
#include "plugins/storage/claims.h"
#include "plugins/volume_zone/volume_topology.h"

#include <algorithm>
#include <array>

namespace berth::plugins {
namespace {

using namespace framework;

struct ZoneState : CloneableState<ZoneState> {
  static constexpr bool kEndsWithDecision = true;
  std::vector<VolumeTopology> topologies;
  std::array<const TopologyColumn*, kZoneLabels.size()> columns{};  // parallel to kZoneLabels
};

constexpr StateKey<ZoneState> kState{"VolumeZone/PreFilter"};

Status WrongZone() { return Status::Unresolvable("node(s) had no available volume zone"); }

// A volume's label against the nodes' columns: which domains it allows, by domain number.
struct TopologyTest {
  const TopologyColumn* column;
  const TopologyColumn* current;  // where the node lacks the label itself
  std::vector<bool> column_allows;
  std::vector<bool> current_allows;

  bool Allows(NodeId node) const {
    if (const int32_t domain = column->domain_of_node[node]; domain >= 0) {
      return column_allows[static_cast<size_t>(domain)];
    }
    const int32_t domain = current->domain_of_node[node];
    return domain >= 0 && current_allows[static_cast<size_t>(domain)];
  }
};

std::vector<bool> AllowedDomains(const VolumeTopology& topology, const TopologyColumn& column) {
  std::vector<bool> allowed(column.domain_count());
  for (size_t domain = 0; domain < allowed.size(); ++domain) allowed[domain] = topology.Allows(column.values[domain]);
  return allowed;
}

Result<QueueingHint> AfterStorageClassAdded(const PodInfo&, const api::Object*, const api::Object* after) {
  const auto* added = ObjectAs<api::StorageClass>(after);
  if (added == nullptr) return QueueingHint::Queue;
  return added->volume_binding_mode == storage::kWaitForFirstConsumer ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterClaimChanged(const PodInfo& pod, const api::Object*, const api::Object* after) {
  const auto* claim = ObjectAs<api::PersistentVolumeClaim>(after);
  if (claim == nullptr) return QueueingHint::Queue;
  if (claim->meta.namespace_ != pod->meta.namespace_) return QueueingHint::QueueSkip;
  const auto uses_claim = [&](const api::Volume& volume) {
    const auto* use = std::get_if<api::ClaimVolume>(&volume.source);
    return use != nullptr && use->claim_name == claim->meta.name;
  };
  const std::vector<api::Volume>& volumes = pod.spec().volumes;
  return std::any_of(volumes.begin(), volumes.end(), uses_claim) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterVolumeChanged(const PodInfo&, const api::Object* before, const api::Object* after) {
  const auto* old_volume = ObjectAs<api::PersistentVolume>(before);
  const auto* new_volume = ObjectAs<api::PersistentVolume>(after);
  if (old_volume == nullptr || new_volume == nullptr) return QueueingHint::Queue;
  return TopologiesOf(*old_volume) == TopologiesOf(*new_volume) ? QueueingHint::QueueSkip : QueueingHint::Queue;
}

class VolumeZone final : public PreFilterPlugin,
                         public FilterPlugin,
                         public FilterAllPlugin,
                         public EnqueueExtensions,
                         public VerdictsByTemplate {
 public:
  static constexpr std::array kReads = {api::KindOf<api::PersistentVolume>(), api::KindOf<api::PersistentVolumeClaim>(),
                                        api::KindOf<api::StorageClass>()};

  explicit VolumeZone(Handle& handle) : handle_(handle) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) override {
    if (pod.spec().volumes.empty()) return {Status::Skip(), {}};
    auto found = std::make_unique<ZoneState>();
    if (Status status = Collect(*pod, found->topologies); !status.ok()) return {std::move(status), {}};
    if (found->topologies.empty()) return {Status::Skip(), {}};
    for (size_t i = 0; i < kZoneLabels.size(); ++i) found->columns[i] = &cluster.topology(kZoneLabels[i]);
    state.Write(kState, std::move(found));
    return {};
  }

  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const ZoneState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    return TopologiesAllow(found->topologies, node.node->meta.labels) ? Status::Success() : WrongZone();
  }

  Status FilterAll(const CycleState& state, const PodInfo&, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const ZoneState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    const auto& columns = found->columns;
    std::vector<TopologyTest> tests;
    for (const VolumeTopology& topology : found->topologies) {
      const TopologyColumn* column = columns[topology.label];
      const TopologyColumn* current = columns[kCurrentLabel[topology.label]];
      tests.push_back({column, current, AllowedDomains(topology, *column), AllowedDomains(topology, *current)});
    }
    Bitset wrong(cluster.node_slots());
    verdicts.passing().ForEach([&](size_t id) {
      const auto node = static_cast<NodeId>(id);
      const auto is_labelled = [&](const TopologyColumn* column) { return column->domain_of_node[node] >= 0; };
      if (std::none_of(columns.begin(), columns.end(), is_labelled)) return;
      const auto allows = [&](const TopologyTest& test) { return test.Allows(node); };
      if (!std::all_of(tests.begin(), tests.end(), allows)) wrong.Set(id);
    });
    if (wrong.Any()) verdicts.RejectAll(wrong, verdicts.Intern(WrongZone()));
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    return {{{EventResource::StorageClass, kAdd}, AfterStorageClassAdded, /*by_template=*/true},
            {{EventResource::Node, kAdd | kUpdateNodeLabel}, nullptr, /*by_template=*/true},
            {{EventResource::PersistentVolumeClaim, kAdd | kUpdate}, AfterClaimChanged, /*by_template=*/true},
            {{EventResource::PersistentVolume, kAdd | kUpdate}, AfterVolumeChanged, /*by_template=*/true}};
  }

  bool FollowFromTemplate(const PodInfo& pod) const override { return !storage::UsesClaims(*pod); }

 private:
  static Status NoState() { return Status::FromError("cannot read \"PreFilterVolumeZone\" from cycleState"); }

  // Gathers the topologies of the pod's bound volumes.
  Status Collect(const api::Pod& pod, std::vector<VolumeTopology>& topologies) const {
    const Lister& lister = handle_.lister();
    for (const api::Volume& volume : pod.spec->volumes) {
      const auto* use = std::get_if<api::ClaimVolume>(&volume.source);
      if (use == nullptr) continue;
      if (use->claim_name.empty()) return Status::Unresolvable("PersistentVolumeClaim had no name");
      const api::PersistentVolumeClaim* claim = lister.FindClaim(pod.meta.namespace_, use->claim_name);
      if (claim == nullptr) return Status::Unresolvable(storage::ClaimNotFound(use->claim_name));
      if (claim->volume_name.empty()) {
        if (Status status = CheckUnbound(*claim); !status.ok()) return status;
        continue;
      }
      const api::PersistentVolume* bound = lister.FindPersistentVolume(claim->volume_name);
      if (bound == nullptr) return Status::Unresolvable(storage::VolumeNotFound(claim->volume_name));
      for (VolumeTopology& topology : TopologiesOf(*bound)) topologies.push_back(std::move(topology));
    }
    return Status::Success();
  }

  // A claim without a volume is fine only when it waits for the pod's node.
  Status CheckUnbound(const api::PersistentVolumeClaim& claim) const {
    const std::string_view class_name = storage::ClassOf(claim);
    if (class_name.empty()) {
      return Status::Unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
    }
    const api::StorageClass* storage_class = handle_.lister().FindStorageClass(class_name);
    if (storage_class == nullptr) return Status::Unresolvable(storage::StorageClassNotFound(class_name));
    if (!storage_class->volume_binding_mode.has_value()) {
      return Status::Unresolvable(storage::BindingModeNotSet(class_name));
    }
    if (storage_class->volume_binding_mode == storage::kWaitForFirstConsumer) return Status::Success();
    return Status::Unresolvable("PersistentVolume had no name");
  }

  Handle& handle_;
};

}  // namespace

PluginEntry VolumeZoneEntry() { return Entry<VolumeZone>(kVolumeZone); }

}  // namespace berth::plugins
