// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_choices.h"

#include "plugins/storage/claims.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

std::string_view ModeOf(std::string_view volume_mode) { return volume_mode.empty() ? "Filesystem" : volume_mode; }

// What must hold even for a volume that is set aside for the claim.
bool IsUsable(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (volume.claim_ref.has_value() && !IsBoundTo(volume, claim)) return false;
  return volume.storage >= claim.storage_request && ModeOf(volume.volume_mode) == ModeOf(claim.volume_mode) &&
         volume.volume_attributes_class_name.value_or("") == claim.volume_attributes_class_name.value_or("") &&
         !volume.meta.deleted.has_value();
}

bool HasAccessModes(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return std::all_of(claim.access_modes.begin(), claim.access_modes.end(), [&](const std::string& mode) {
    return std::find(volume.access_modes.begin(), volume.access_modes.end(), mode) != volume.access_modes.end();
  });
}

// Finds out where the driver has room for the claim, if it tells at all.
void LookForRoom(const api::StorageClass& storage_class, const framework::Lister& lister, VolumeChoices& choices) {
  const api::Quantity& request = choices.claim->storage_request;
  const api::CsiDriver* driver = lister.FindCsiDriver(storage_class.provisioner);
  if (request.IsZero() || driver == nullptr || !driver->storage_capacity) return;
  choices.is_capacity_known = true;
  const int64_t bytes = request.Value();
  for (const api::CsiStorageCapacity* capacity : lister.StorageCapacities()) {
    if (capacity->storage_class_name != storage_class.meta.name || !capacity->node_topology.has_value()) continue;
    // The largest volume, where the driver tells it, is more precise than the room as a whole.
    const std::optional<api::Quantity>& limit =
        capacity->maximum_volume_size.has_value() ? capacity->maximum_volume_size : capacity->capacity;
    if (!limit.has_value() || limit->Value() < bytes) continue;
    if (Result<api::Selector> selector = api::Selector::From(capacity->node_topology)) {
      choices.rooms.push_back({*std::move(selector), capacity->capacity ? capacity->capacity->Value() : 0});
    }
  }
}

void ChooseProvisioning(const framework::Lister& lister, VolumeChoices& choices) {
  const api::StorageClass* storage_class = lister.FindStorageClass(storage::ClassOf(*choices.claim));
  if (storage_class == nullptr) return;
  choices.can_provision = !storage_class->provisioner.empty() && storage_class->provisioner != kNoProvisioner;
  if (!choices.can_provision) return;
  if (!storage_class->allowed_topologies.empty()) {
    choices.allowed_topologies.emplace();
    for (const std::vector<api::TopologySelectorRequirement>& allowed : storage_class->allowed_topologies) {
      api::NodeSelectorTerm& term = choices.allowed_topologies->terms.emplace_back();
      for (const api::TopologySelectorRequirement& requirement : allowed) {
        term.match_expressions.push_back({requirement.key, "In", requirement.values});
      }
    }
  }
  LookForRoom(*storage_class, lister, choices);
}

void ChooseVolumes(const std::vector<VolumePtr>& volumes, VolumeChoices& choices) {
  const api::PersistentVolumeClaim& claim = *choices.claim;
  std::optional<api::Selector> selector;
  if (claim.selector.has_value()) {
    Result<api::Selector> parsed = api::Selector::From(claim.selector);
    if (!parsed) {
      choices.problem = fmt::format("error creating internal label selector for claim: {}: {}", claim.meta.Key(),
                                    parsed.error().message);
      return;
    }
    selector = *std::move(parsed);
  }
  for (const VolumePtr& volume : volumes) {
    if (!IsUsable(*volume, claim)) continue;
    if (IsBoundTo(*volume, claim)) {
      choices.reserved.push_back(volume);
    } else if (volume->phase == "Available" && (!selector.has_value() || selector->Matches(volume->meta.labels)) &&
               HasAccessModes(*volume, claim)) {
      choices.open.push_back(volume);
    }
  }
  std::stable_sort(choices.open.begin(), choices.open.end(),
                   [](const VolumePtr& a, const VolumePtr& b) { return a->storage < b->storage; });
}

}  // namespace

bool IsBoundTo(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  const std::optional<api::ObjectReference>& ref = volume.claim_ref;
  return ref.has_value() && ref->name == claim.meta.name && ref->namespace_ == claim.meta.namespace_ &&
         (ref->uid.empty() || ref->uid == claim.meta.uid);
}

VolumeChoices ChoicesFor(ClaimPtr claim, const std::vector<VolumePtr>& volumes, const framework::Lister& lister) {
  VolumeChoices choices;
  choices.claim = std::move(claim);
  ChooseVolumes(volumes, choices);
  ChooseProvisioning(lister, choices);
  return choices;
}

}  // namespace berth::plugins
