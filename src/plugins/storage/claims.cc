// SPDX-License-Identifier: Apache-2.0
#include "plugins/storage/claims.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::plugins::storage {
namespace {

constexpr std::string_view kBetaStorageClass = "volume.beta.kubernetes.io/storage-class";

}  // namespace

std::optional<ClaimUse> ClaimOf(const api::Pod& pod, const api::Volume& volume) {
  if (const auto* claim = std::get_if<api::ClaimVolume>(&volume.source)) return ClaimUse{claim->claim_name, false};
  if (std::holds_alternative<api::EphemeralVolume>(volume.source)) {
    return ClaimUse{pod.meta.name + "-" + volume.name, true};
  }
  return std::nullopt;
}

bool UsesClaims(const api::Pod& pod) {
  return std::any_of(pod.spec->volumes.begin(), pod.spec->volumes.end(),
                     [&](const api::Volume& volume) { return ClaimOf(pod, volume).has_value(); });
}

bool UsesClaim(const api::Pod& pod, const api::PersistentVolumeClaim& claim) {
  if (pod.meta.namespace_ != claim.meta.namespace_) return false;
  const std::string_view name = claim.meta.name;
  // Called for every waiting pod when a claim changes: compares the parts of an ephemeral claim's name in place.
  const auto is_made_for = [&](const api::Volume& volume) {
    const size_t prefix = pod.meta.name.size() + 1;
    return name.size() == prefix + volume.name.size() && name.starts_with(pod.meta.name) && name[prefix - 1] == '-' &&
           name.ends_with(volume.name);
  };
  return std::any_of(pod.spec->volumes.begin(), pod.spec->volumes.end(), [&](const api::Volume& volume) {
    if (const auto* use = std::get_if<api::ClaimVolume>(&volume.source)) return use->claim_name == name;
    return std::holds_alternative<api::EphemeralVolume>(volume.source) && is_made_for(volume);
  });
}

std::string_view ClassOf(const api::PersistentVolumeClaim& claim) {
  if (const std::string* annotated = claim.meta.annotations.Find(kBetaStorageClass)) return *annotated;
  return claim.storage_class_name.has_value() ? std::string_view(*claim.storage_class_name) : std::string_view();
}

std::string_view ClassOf(const api::PersistentVolume& volume) {
  if (const std::string* annotated = volume.meta.annotations.Find(kBetaStorageClass)) return *annotated;
  return volume.storage_class_name;
}

bool IsFullyBound(const api::PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() && claim.meta.annotations.Has(kBindCompleted);
}

std::optional<std::string> OwnershipProblem(const api::PersistentVolumeClaim& claim, const api::Pod& pod) {
  const api::OwnerReference* owner = claim.meta.Controller();
  if (claim.meta.namespace_ == pod.meta.namespace_ && owner != nullptr && owner->uid == pod.meta.uid) {
    return std::nullopt;
  }
  return fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)", claim.meta.namespace_,
                     claim.meta.name, pod.meta.namespace_, pod.meta.name);
}

std::string ClaimNotFound(std::string_view name) { return fmt::format("persistentvolumeclaim \"{}\" not found", name); }
std::string VolumeNotFound(std::string_view name) { return fmt::format("persistentvolume \"{}\" not found", name); }
std::string StorageClassNotFound(std::string_view name) {
  return fmt::format("storageclass.storage.k8s.io \"{}\" not found", name);
}
std::string BindingModeNotSet(std::string_view storage_class) {
  return fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", storage_class);
}

}  // namespace berth::plugins::storage
