// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/node_volume_limits.h"

#include "api/object.h"
#include "framework/handle.h"
#include "plugins/node_volume_limits/attached_volumes.h"
#include "plugins/node_volume_limits/limit_hints.h"
#include "plugins/node_volume_limits/limit_index.h"
#include "plugins/storage/claims.h"

#include <algorithm>
#include <array>
#include <optional>

namespace berth::plugins {
namespace {

using namespace framework;

// The volumes the pod brings along, or why they cannot be told.
struct PodVolumes {
  Status problem;
  VolumeSet volumes;
};

struct LimitsState : CloneableState<LimitsState> {
  static constexpr bool kEndsWithDecision = true;
  PodVolumes with_csi_node;
  PodVolumes without_csi_node;
};

constexpr StateKey<LimitsState> kState{"NodeVolumeLimits/PreFilter"};

Status TooManyVolumes() { return Status::Unschedulable("node(s) exceed max volume count"); }

bool HasLimits(const api::CsiNode& node) {
  return std::any_of(node.drivers.begin(), node.drivers.end(),
                     [](const api::CsiNodeDriver& driver) { return driver.allocatable_count.has_value(); });
}

std::optional<int64_t> LimitOf(const api::CsiNode& node, std::string_view driver) {
  std::optional<int64_t> limit;
  for (const api::CsiNodeDriver& entry : node.drivers) {
    if (entry.name == driver && entry.allocatable_count.has_value()) limit = entry.allocatable_count;
  }
  return limit;
}

class NodeVolumeLimits final : public PreFilterPlugin,
                               public FilterPlugin,
                               public FilterAllPlugin,
                               public EnqueueExtensions,
                               public VerdictsByTemplate {
 public:
  static constexpr std::array kReads = {api::KindOf<api::PersistentVolume>(), api::KindOf<api::PersistentVolumeClaim>(),
                                        api::KindOf<api::StorageClass>(), api::KindOf<api::CsiNode>(),
                                        api::KindOf<api::VolumeAttachment>()};

  explicit NodeVolumeLimits(Handle& handle) : handle_(handle) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) override {
    const std::vector<api::Volume>& volumes = pod.spec().volumes;
    if (std::none_of(volumes.begin(), volumes.end(), MayNeedAttaching)) return {Status::Skip(), {}};
    auto found = std::make_unique<LimitsState>();
    for (const bool has_csi_node : {true, false}) {
      PodVolumes& brought = has_csi_node ? found->with_csi_node : found->without_csi_node;
      brought.problem = CollectVolumes(*pod, PodRole::New, has_csi_node, handle_.lister(), brought.volumes);
    }
    state.Write(kState, std::move(found));
    index_.Refresh(cluster, handle_.lister());
    return {};
  }

  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const LimitsState* found = state.Read(kState);
    return found == nullptr ? NoState() : Judge(*found, node);
  }

  Status FilterAll(const CycleState& state, const PodInfo&, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const LimitsState* found = state.Read(kState);
    if (found == nullptr) return NoState();
    const PodVolumes& with = found->with_csi_node;
    const PodVolumes& without = found->without_csi_node;
    Bitset without_csi_node = verdicts.passing();
    without_csi_node.AndNot(index_.with_csi_node());
    Status failure = RejectFor(without.problem, without_csi_node, verdicts);
    if (!with.problem.ok()) {
      const Status other = RejectFor(with.problem, index_.with_csi_node(), verdicts);
      return failure.ok() ? other : failure;
    }
    if (with.volumes.empty()) return failure;

    Bitset to_count = index_.doubtful();
    for (const AttachedVolume& volume : with.volumes) {
      to_count.Or(index_.NearLimit(volume.driver, static_cast<int64_t>(with.volumes.size())));
    }
    to_count.And(index_.with_limits());
    to_count.And(verdicts.passing());
    to_count.ForEach([&](size_t id) {
      const auto node = static_cast<NodeId>(id);
      Status status = Judge(*found, cluster.node(node));
      if (status.ok()) return;
      verdicts.Reject(node, verdicts.Intern(status));
      if (failure.ok() && status.code() == Code::Error) failure = std::move(status);
    });
    return failure;
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override { return VolumeLimitEvents(); }

  bool FollowFromTemplate(const PodInfo& pod) const override { return !storage::UsesClaims(*pod); }

 private:
  static Status NoState() { return Status::FromError("cannot read the state of NodeVolumeLimits from cycleState"); }

  // The problem itself when it is a failure that a passing node meets.
  static Status RejectFor(const Status& problem, const Bitset& nodes, Verdicts& verdicts) {
    if (problem.ok()) return problem;
    const size_t before = verdicts.passing().Count();
    verdicts.RejectAll(nodes, verdicts.Intern(problem));
    const bool is_met = verdicts.passing().Count() < before;
    return is_met && problem.code() == Code::Error ? problem : Status::Success();
  }

  Status Judge(const LimitsState& found, const NodeInfo& node) const {
    const Lister& lister = handle_.lister();
    const api::CsiNode* csi_node = lister.FindCsiNode(node.name());
    const PodVolumes& brought = csi_node != nullptr ? found.with_csi_node : found.without_csi_node;
    if (!brought.problem.ok()) return brought.problem;
    if (brought.volumes.empty() || csi_node == nullptr || !HasLimits(*csi_node)) return Status::Success();

    VolumeSet in_use;
    for (const PodInfoPtr& pod : node.pods) {
      if (pod->spec().volumes.empty()) continue;
      if (Status status = CollectVolumes(**pod, PodRole::Existing, true, lister, in_use); !status.ok()) return status;
    }
    const VolumeSet attached = VolumesOfAttachments(node.name(), lister);
    for (const AttachedVolume& volume : brought.volumes) {
      const std::optional<int64_t> limit = LimitOf(*csi_node, volume.driver);
      if (!limit.has_value()) continue;
      const auto of_driver = [&](const AttachedVolume& other) { return other.driver == volume.driver; };
      const auto is_new = [&](const AttachedVolume& other) { return of_driver(other) && !in_use.Has(other.id); };
      // A volume that a pod on the node uses already costs nothing; one that is merely attached still does.
      const int64_t added = std::count_if(brought.volumes.begin(), brought.volumes.end(), is_new);
      if (added == 0) continue;
      const int64_t present = std::count_if(in_use.begin(), in_use.end(), of_driver) +
                              std::count_if(attached.begin(), attached.end(), is_new);
      if (present + added > *limit) return TooManyVolumes();
    }
    return Status::Success();
  }

  Handle& handle_;
  LimitIndex index_;  // caught up with the cluster in PreFilter
};

}  // namespace

PluginEntry NodeVolumeLimitsEntry() { return Entry<NodeVolumeLimits>(kNodeVolumeLimits); }

}  // namespace berth::plugins
