// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/find_volumes.h"

#include "plugins/storage/claims.h"

#include <algorithm>

namespace berth::plugins {
namespace {

using framework::Lister;
using framework::Status;

// A volume's affinity knows labels only, not the node's name.
bool Reaches(const std::optional<api::NodeSelector>& affinity, const api::Node& node) {
  return !affinity.has_value() || api::Matches(*affinity, node.meta.labels, "");
}

Result<uint8_t> CheckBound(const std::vector<BoundVolume>& volumes, const api::Node& node, const Lister& lister) {
  for (const BoundVolume& bound : volumes) {
    if (bound.volume == nullptr) return kVolumeGone;
    const bool is_translated =
        bound.plugin != nullptr && storage::IsMigratedOn(lister.FindCsiNode(node.meta.name), bound.plugin->name);
    if (is_translated && !bound.translation_problem.empty()) return InvalidError(bound.translation_problem);
    if (!Reaches(is_translated ? bound.translated_affinity : bound.volume->node_affinity, node)) return kOutOfReach;
  }
  return uint8_t{0};
}

VolumePtr FindVolume(const VolumeChoices& choices, const std::vector<FoundVolumes::Binding>& taken,
                     const api::Node& node) {
  const auto is_taken = [&](const VolumePtr& volume) {
    return std::any_of(taken.begin(), taken.end(), [&](const auto& binding) { return binding.volume == volume; });
  };
  for (const VolumePtr& volume : choices.reserved) {
    if (is_taken(volume)) continue;
    return Reaches(volume->node_affinity, node) ? volume : nullptr;
  }
  for (const VolumePtr& volume : choices.open) {
    if (!is_taken(volume) && Reaches(volume->node_affinity, node)) return volume;
  }
  return nullptr;
}

// Makes a volume for the claim, or notes what stands in the way.
void Provision(const VolumeChoices& choices, const api::Node& node, FoundVolumes& found) {
  if (!choices.can_provision || !Reaches(choices.allowed_topologies, node)) {
    found.conflicts = kNoVolume;
    return;
  }
  if (!choices.is_capacity_known) {
    found.provisions.push_back({choices.claim, std::nullopt});
    return;
  }
  const auto room = std::find_if(choices.rooms.begin(), choices.rooms.end(),
                                 [&](const StorageRoom& place) { return place.where.Matches(node.meta.labels); });
  if (room == choices.rooms.end()) {
    found.conflicts = kNoRoom;
  } else {
    found.provisions.push_back({choices.claim, room->capacity});
  }
}

}  // namespace

Status ConflictStatus(uint8_t conflicts) {
  if (conflicts == 0) return Status::Success();
  std::vector<std::string> reasons;
  if ((conflicts & kOutOfReach) != 0) reasons.emplace_back("node(s) didn't match PersistentVolume's node affinity");
  if ((conflicts & kNoVolume) != 0) reasons.emplace_back("node(s) didn't find available persistent volumes to bind");
  if ((conflicts & kNoRoom) != 0) reasons.emplace_back("node(s) did not have enough free storage");
  if ((conflicts & kVolumeGone) != 0) {
    reasons.emplace_back("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  }
  return {framework::Code::UnschedulableAndUnresolvable, std::move(reasons)};
}

Result<FoundVolumes> FindVolumesForUnbound(const PodClaims& claims, const api::Node& node) {
  FoundVolumes found;
  std::vector<const VolumeChoices*> to_provision;
  for (const VolumeChoices& pinned : claims.pinned) {
    if (*pinned.claim->meta.annotations.Find(storage::kSelectedNode) != node.meta.name) {
      found.conflicts = kNoVolume;
      return found;
    }
    to_provision.push_back(&pinned);
  }
  for (const VolumeChoices& waiting : claims.waiting) {
    if (!waiting.problem.empty()) return InvalidError(waiting.problem);
    if (VolumePtr volume = FindVolume(waiting, found.bindings, node)) {
      found.bindings.push_back({waiting.claim, std::move(volume)});
    } else {
      to_provision.push_back(&waiting);
    }
  }
  for (const VolumeChoices* choices : to_provision) {
    Provision(*choices, node, found);
    if (found.conflicts != 0) return found;
  }
  return found;
}

Result<FoundVolumes> FindVolumes(const PodClaims& claims, const api::Node& node, const Lister& lister) {
  BERTH_ASSIGN_OR_RETURN(const uint8_t bound_conflicts, CheckBound(claims.bound, node, lister));
  BERTH_ASSIGN_OR_RETURN(FoundVolumes found, FindVolumesForUnbound(claims, node));
  found.conflicts |= bound_conflicts;
  return found;
}

}  // namespace berth::plugins
