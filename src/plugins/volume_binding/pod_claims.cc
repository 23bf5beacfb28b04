// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/pod_claims.h"

#include "plugins/storage/claims.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using framework::Lister;
using framework::Status;

// The object as assumed, or the cluster's own, which is borrowed: it stays until the cluster next changes.
template <typename T>
std::shared_ptr<const T> Current(const T& object, const AssumeCache<T>& assumed) {
  std::shared_ptr<const T> found = assumed.Find(object);
  return found != nullptr ? found : std::shared_ptr<const T>(std::shared_ptr<const T>(), &object);
}

Result<bool> WaitsForConsumer(const api::PersistentVolumeClaim& claim, const Lister& lister) {
  const std::string_view class_name = storage::ClassOf(claim);
  const api::StorageClass* storage_class = class_name.empty() ? nullptr : lister.FindStorageClass(class_name);
  if (storage_class == nullptr) return false;
  if (!storage_class->volume_binding_mode.has_value()) return InvalidError(storage::BindingModeNotSet(class_name));
  return storage_class->volume_binding_mode == storage::kWaitForFirstConsumer;
}

BoundVolume LookUpBound(const api::PersistentVolumeClaim& claim, const Lister& lister, const Assumptions& assumptions) {
  BoundVolume bound;
  const api::PersistentVolume* volume = lister.FindPersistentVolume(claim.volume_name);
  if (volume == nullptr) return bound;
  bound.volume = Current(*volume, assumptions.volumes);
  const storage::InTreePlugin* plugin = storage::InTreePluginOf(*volume);
  if (plugin == nullptr || !plugin->is_migrated) return bound;
  bound.plugin = plugin;
  if (Result<storage::CsiVolume> translated = storage::TranslateVolume(*bound.volume)) {
    bound.translated_affinity = std::move(translated->node_affinity);
  } else {
    bound.translation_problem = "could not translate pv: " + translated.error().message;
  }
  return bound;
}

std::vector<VolumePtr> VolumesOfClass(std::string_view class_name, const Lister& lister,
                                      const Assumptions& assumptions) {
  std::vector<VolumePtr> volumes;
  for (const api::PersistentVolume* volume : lister.PersistentVolumesOfClass(class_name)) {
    volumes.push_back(Current(*volume, assumptions.volumes));
  }
  return volumes;
}

}  // namespace

Status CheckClaims(const api::Pod& pod, const Lister& lister) {
  bool has_claims = false;
  for (const api::Volume& volume : pod.spec->volumes) {
    const std::optional<storage::ClaimUse> use = storage::ClaimOf(pod, volume);
    if (!use.has_value()) continue;
    has_claims = true;
    const api::PersistentVolumeClaim* claim = lister.FindClaim(pod.meta.namespace_, use->name);
    if (claim == nullptr) {
      return Status::Unresolvable(
          use->is_ephemeral
              ? fmt::format("waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"",
                            use->name)
              : storage::ClaimNotFound(use->name));
    }
    if (claim->phase == "Lost") {
      return Status::Unresolvable(
          fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"", claim->meta.name,
                      claim->volume_name));
    }
    if (claim->meta.deleted.has_value()) {
      return Status::Unresolvable(fmt::format("persistentvolumeclaim \"{}\" is being deleted", claim->meta.name));
    }
    if (use->is_ephemeral) {
      if (std::optional<std::string> problem = storage::OwnershipProblem(*claim, pod)) {
        return Status::Unresolvable(*std::move(problem));
      }
    }
  }
  return has_claims ? Status::Success() : Status::Skip();
}

Result<PodClaims> LookUpClaims(const api::Pod& pod, const Lister& lister, const Assumptions& assumptions) {
  PodClaims claims;
  std::vector<ClaimPtr> delayed;
  for (const api::Volume& volume : pod.spec->volumes) {
    const std::optional<storage::ClaimUse> use = storage::ClaimOf(pod, volume);
    if (!use.has_value()) continue;
    const api::PersistentVolumeClaim* listed = lister.FindClaim(pod.meta.namespace_, use->name);
    if (listed == nullptr) return NotFoundError(storage::ClaimNotFound(use->name));
    ClaimPtr claim = Current(*listed, assumptions.claims);
    if (storage::IsFullyBound(*claim)) {
      claims.bound.push_back(LookUpBound(*claim, lister, assumptions));
      continue;
    }
    BERTH_ASSIGN_OR_RETURN(const bool waits, WaitsForConsumer(*claim, lister));
    if (waits && claim->volume_name.empty()) {
      delayed.push_back(std::move(claim));
    } else {
      claims.has_immediate = true;
    }
  }
  for (ClaimPtr& claim : delayed) {
    const bool is_pinned = claim->meta.annotations.Has(storage::kSelectedNode);
    // A claim that has its node is only ever provisioned.
    const std::vector<VolumePtr> volumes =
        is_pinned ? std::vector<VolumePtr>() : VolumesOfClass(storage::ClassOf(*claim), lister, assumptions);
    (is_pinned ? claims.pinned : claims.waiting).push_back(ChoicesFor(std::move(claim), volumes, lister));
  }
  std::stable_sort(claims.waiting.begin(), claims.waiting.end(), [](const VolumeChoices& a, const VolumeChoices& b) {
    return a.claim->storage_request < b.claim->storage_request;
  });
  return claims;
}

}  // namespace berth::plugins
