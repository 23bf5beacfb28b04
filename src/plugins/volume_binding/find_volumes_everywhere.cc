// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/find_volumes_everywhere.h"

#include "plugins/storage/claims.h"
#include "plugins/volume_binding/find_volumes.h"
#include "plugins/volume_binding/node_sets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <unordered_map>

namespace berth::plugins {
namespace {

using namespace framework;

// On which nodes a volume has gone to an earlier claim of the pod.
class TakenVolumes {
 public:
  void Add(const api::PersistentVolume& volume, NodeId node) { nodes_[&volume].push_back(node); }
  bool Has(const api::PersistentVolume& volume, NodeId node) const {
    const auto it = nodes_.find(&volume);
    return it != nodes_.end() && std::find(it->second.begin(), it->second.end(), node) != it->second.end();
  }
  void RemoveFrom(Bitset& nodes, const api::PersistentVolume& volume) const {
    const auto it = nodes_.find(&volume);
    if (it == nodes_.end()) return;
    for (const NodeId node : it->second) nodes.Reset(node);
  }

 private:
  std::unordered_map<const api::PersistentVolume*, std::vector<NodeId>> nodes_;
};

class Search {
 public:
  Search(const PodClaims& claims, const AskedLabels& labels, const ClusterView& cluster, const Lister& lister,
         const Bitset& candidates)
      : claims_(claims), cluster_(cluster), lister_(lister), candidates_(candidates), sets_(cluster, labels) {
    for (Bitset& nodes : conflicts_) nodes.Resize(candidates.size());
  }

  // Also lists what is found, in `found`.
  void ListIn(FoundEverywhere& found) { found_ = &found; }

  void CheckBound() {
    Bitset undecided = candidates_;
    for (const BoundVolume& bound : claims_.bound) {
      if (bound.volume == nullptr) {
        NodesWith(kVolumeGone).Or(undecided);
        return;
      }
      Bitset out_of_reach = undecided;
      out_of_reach.AndNot(bound.plugin == nullptr ? Reached(bound.volume->node_affinity)
                                                  : ReachedByMigrated(bound, undecided));
      NodesWith(kOutOfReach).Or(out_of_reach);
      undecided.AndNot(out_of_reach);
    }
  }

  void FindForUnbound() {
    if (!claims_.pinned.empty()) {
      FindForPinned();
    } else if (!claims_.waiting.empty() && candidates_.Any()) {
      FindForWaiting();
    }
  }

  // The first failure; empty when there was none.
  std::string_view failure() const { return failures_.empty() ? std::string_view() : failures_.front().message; }

  // Rejects the nodes that do not do. The status is that of the first failure, if there was any.
  Status Report(Verdicts& verdicts) const {
    for (const NodesWithoutAnswer& failure : failures_) {
      verdicts.RejectAll(failure.nodes, verdicts.Intern(Status::FromError(failure.message)));
    }
    Bitset rejected(candidates_.size());
    for (const Bitset& nodes : conflicts_) rejected.Or(nodes);
    std::array<std::optional<Verdicts::Id>, kConflictSets> ids;
    rejected.ForEach([&](size_t node) {
      unsigned conflicts = 0;
      for (size_t i = 0; i < conflicts_.size(); ++i) {
        conflicts |= static_cast<unsigned>(conflicts_[i].Test(node)) << i;
      }
      std::optional<Verdicts::Id>& id = ids[conflicts];
      if (!id.has_value()) id = verdicts.Intern(ConflictStatus(static_cast<uint8_t>(conflicts)));
      if (verdicts.Passes(static_cast<NodeId>(node))) verdicts.Reject(static_cast<NodeId>(node), *id);
    });
    return failures_.empty() ? Status::Success() : Status::FromError(failures_.front().message);
  }

 private:
  struct NodesWithoutAnswer {
    Bitset nodes;
    std::string message;
  };

  Bitset& NodesWith(VolumeConflict conflict) {
    return conflicts_[static_cast<size_t>(std::countr_zero(static_cast<unsigned>(conflict)))];
  }

  Bitset Reached(const std::optional<api::NodeSelector>& affinity) {
    return affinity.has_value() ? sets_.Matching(*affinity) : candidates_;
  }

  void Fail(Bitset nodes, std::string message) {
    nodes.And(candidates_);
    if (nodes.Any()) failures_.push_back({std::move(nodes), std::move(message)});
  }

  // Nodes that leave the volume's driver to CSI read its affinity in the driver's terms. Only where the two readings
  // differ does it matter which a node takes.
  Bitset ReachedByMigrated(const BoundVolume& bound, const Bitset& undecided) {
    Bitset reached = Reached(bound.volume->node_affinity);
    const bool is_broken = !bound.translation_problem.empty();
    if (!is_broken && bound.translated_affinity == bound.volume->node_affinity) return reached;
    const Bitset translated = is_broken ? Bitset(reached.size()) : Reached(bound.translated_affinity);
    Bitset failed(reached.size());
    undecided.ForEach([&](size_t node) {
      if (!is_broken && reached.Test(node) == translated.Test(node)) return;
      const api::CsiNode* csi_node = lister_.FindCsiNode(cluster_.node(static_cast<NodeId>(node)).name());
      if (!storage::IsMigratedOn(csi_node, bound.plugin->name)) return;
      reached.Assign(node, translated.Test(node));
      if (is_broken) failed.Set(node);
    });
    Fail(std::move(failed), bound.translation_problem);
    return reached;
  }

  // All claims that were given a node must have been given the same, and only that one is worth a closer look.
  void FindForPinned() {
    const std::string& name = *claims_.pinned.front().claim->meta.annotations.Find(storage::kSelectedNode);
    NodesWith(kNoVolume).Or(candidates_);
    const NodeId node = cluster_.FindNode(name);
    if (node == kNoNode || !candidates_.Test(node)) return;
    const Result<FoundVolumes> found = FindVolumesForUnbound(claims_, *cluster_.node(node).node);
    if (!found) {
      Bitset failed(candidates_.size());
      failed.Set(node);
      return Fail(std::move(failed), found.error().message);
    }
    NodesWith(kNoVolume).Assign(node, (found->conflicts & kNoVolume) != 0);
    NodesWith(kNoRoom).Assign(node, (found->conflicts & kNoRoom) != 0);
    if (found_ == nullptr) return;
    for (const FoundVolumes::Binding& binding : found->bindings) {
      found_->bindings.push_back({node, binding.claim.get(), binding.volume.get()});
    }
    for (const FoundVolumes::Provision& provision : found->provisions) {
      if (provision.room) found_->provisions.push_back({node, provision.claim.get(), *provision.room});
    }
  }

  void FindForWaiting() {
    std::vector<Bitset> without_volume;
    for (const VolumeChoices& choices : claims_.waiting) {
      if (!choices.problem.empty()) return Fail(candidates_, choices.problem);
      without_volume.push_back(TakeVolumes(choices));
    }
    Bitset undecided = candidates_;
    for (size_t i = 0; i < without_volume.size(); ++i) {
      without_volume[i].And(undecided);
      if (without_volume[i].Any()) Provision(claims_.waiting[i], std::move(without_volume[i]), undecided);
    }
  }

  // Gives the claim a volume on every node where one is left, and returns the nodes where none is.
  Bitset TakeVolumes(const VolumeChoices& choices) {
    Bitset looking = candidates_;
    Bitset without(candidates_.size());
    for (const VolumePtr& volume : choices.reserved) {
      Bitset settled = looking;
      taken_.RemoveFrom(settled, *volume);
      looking.AndNot(settled);
      Bitset found = settled;
      found.And(Reached(volume->node_affinity));
      Take(choices, *volume, found);
      settled.AndNot(found);
      without.Or(settled);
    }
    size_t left = looking.Count();
    for (const VolumePtr& volume : choices.open) {
      if (left == 0) break;
      const auto list = volume->node_affinity.has_value() ? sets_.ListMatching(*volume->node_affinity) : std::nullopt;
      if (list.has_value()) {
        for (const NodeId node : *list) {
          if (!looking.Test(node) || taken_.Has(*volume, node)) continue;
          Take(choices, *volume, node);
          looking.Reset(node);
          --left;
        }
        continue;
      }
      Bitset found = Reached(volume->node_affinity);
      found.And(looking);
      taken_.RemoveFrom(found, *volume);
      Take(choices, *volume, found);
      looking.AndNot(found);
      left = looking.Count();
    }
    without.Or(looking);
    return without;
  }

  void Take(const VolumeChoices& choices, const api::PersistentVolume& volume, NodeId node) {
    if (&choices != &claims_.waiting.back()) taken_.Add(volume, node);
    if (found_ != nullptr) found_->bindings.push_back({node, choices.claim.get(), &volume});
  }
  void Take(const VolumeChoices& choices, const api::PersistentVolume& volume, const Bitset& nodes) {
    if (found_ == nullptr && &choices == &claims_.waiting.back()) return;  // nobody asks any more
    nodes.ForEach([&](size_t node) { Take(choices, volume, static_cast<NodeId>(node)); });
  }

  // Makes a volume for the claim on `nodes`; where that fails the node is decided.
  void Provision(const VolumeChoices& choices, Bitset nodes, Bitset& undecided) {
    Bitset failed = nodes;
    if (choices.can_provision) failed.AndNot(Reached(choices.allowed_topologies));
    NodesWith(kNoVolume).Or(failed);
    undecided.AndNot(failed);
    if (!choices.is_capacity_known) return;
    nodes.AndNot(failed);
    for (const StorageRoom& room : choices.rooms) {
      Bitset here = sets_.Matching(room.where);
      here.And(nodes);
      nodes.AndNot(here);
      if (found_ == nullptr) continue;
      here.ForEach([&](size_t node) {
        found_->provisions.push_back({static_cast<NodeId>(node), choices.claim.get(), room.capacity});
      });
    }
    NodesWith(kNoRoom).Or(nodes);
    undecided.AndNot(nodes);
  }

  const PodClaims& claims_;
  const ClusterView& cluster_;
  const Lister& lister_;
  const Bitset& candidates_;
  NodeSets sets_;
  std::array<Bitset, 4> conflicts_;  // by the bit of VolumeConflict
  std::vector<NodesWithoutAnswer> failures_;
  FoundEverywhere* found_ = nullptr;
  TakenVolumes taken_;
};

}  // namespace

Status FindVolumesEverywhere(const PodClaims& claims, const AskedLabels& labels, const ClusterView& cluster,
                             const Lister& lister, Verdicts& verdicts) {
  const Bitset candidates = verdicts.passing();
  Search search(claims, labels, cluster, lister, candidates);
  search.CheckBound();
  search.FindForUnbound();
  return search.Report(verdicts);
}

Result<FoundEverywhere> FindVolumesForUnboundEverywhere(const PodClaims& claims, const AskedLabels& labels,
                                                        const ClusterView& cluster, const Lister& lister,
                                                        std::span<const NodeId> nodes) {
  Bitset candidates(cluster.node_slots());
  for (const NodeId node : nodes) candidates.Set(node);
  FoundEverywhere found;
  Search search(claims, labels, cluster, lister, candidates);
  search.ListIn(found);
  search.FindForUnbound();
  if (!search.failure().empty()) return InvalidError(std::string(search.failure()));
  return found;
}

}  // namespace berth::plugins
