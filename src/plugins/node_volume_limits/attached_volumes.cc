// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/attached_volumes.h"

#include "plugins/storage/claims.h"
#include "plugins/storage/csi_migration.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using framework::Lister;
using framework::Status;

AttachedVolume MakeVolume(std::string_view driver, std::string_view handle) {
  return {fmt::format("{}/{}", driver, handle), std::string(driver)};
}

// A claim without a volume counts for the driver that will provision it. Its handle is made up so that no real one can
// equal it.
std::optional<AttachedVolume> VolumeToProvision(const api::PersistentVolumeClaim& claim, bool has_csi_node,
                                                const Lister& lister) {
  const std::string_view class_name = storage::ClassOf(claim);
  if (class_name.empty()) return std::nullopt;
  const api::StorageClass* storage_class = lister.FindStorageClass(class_name);
  if (storage_class == nullptr) return std::nullopt;
  std::string_view driver = storage_class->provisioner;
  if (const storage::InTreePlugin* plugin = storage::FindInTreePlugin(driver)) {
    if (!plugin->is_migrated || !has_csi_node) return std::nullopt;
    driver = plugin->csi_driver;
  }
  if (driver.empty()) return std::nullopt;
  return MakeVolume(driver, "\x1funbound-" + claim.meta.Key());
}

std::optional<AttachedVolume> VolumeOf(const api::PersistentVolumeClaim& claim, bool has_csi_node,
                                       const Lister& lister) {
  const api::PersistentVolume* volume =
      claim.volume_name.empty() ? nullptr : lister.FindPersistentVolume(claim.volume_name);
  if (volume == nullptr) return VolumeToProvision(claim, has_csi_node, lister);
  if (!volume->csi_driver.empty()) {
    if (volume->csi_volume_handle.empty()) return std::nullopt;
    return MakeVolume(volume->csi_driver, volume->csi_volume_handle);
  }
  const storage::InTreePlugin* plugin = storage::InTreePluginOf(*volume);
  if (plugin == nullptr || !plugin->is_migrated || !has_csi_node) return std::nullopt;
  const Result<storage::CsiVolume> translated = storage::TranslateVolume(*volume);
  if (!translated || translated->handle.empty()) return std::nullopt;
  return MakeVolume(plugin->csi_driver, translated->handle);
}

Status AddInlineVolume(const api::Volume& volume, bool has_csi_node, VolumeSet& volumes) {
  const storage::InTreePlugin* plugin = storage::InTreePluginOf(volume);
  if (plugin == nullptr || !plugin->is_migrated || !has_csi_node) return Status::Success();
  const Result<std::string> handle = storage::TranslateInlineVolume(volume);
  if (!handle) {
    return Status::FromError(
        fmt::format("converting volume({}) from inline to csi: {}", volume.name, handle.error().message));
  }
  volumes.Add(MakeVolume(plugin->csi_driver, *handle));
  return Status::Success();
}

}  // namespace

void VolumeSet::Add(AttachedVolume volume) {
  if (!Has(volume.id)) volumes_.push_back(std::move(volume));
}

bool VolumeSet::Has(std::string_view id) const {
  return std::any_of(volumes_.begin(), volumes_.end(), [&](const AttachedVolume& volume) { return volume.id == id; });
}

bool MayNeedAttaching(const api::Volume& volume) {
  return std::holds_alternative<api::ClaimVolume>(volume.source) ||
         std::holds_alternative<api::EphemeralVolume>(volume.source) || storage::InTreePluginOf(volume) != nullptr;
}

bool MayFailToCount(const api::Volume& volume) {
  if (std::holds_alternative<api::EphemeralVolume>(volume.source)) return true;
  if (const auto* claim = std::get_if<api::ClaimVolume>(&volume.source)) return claim->claim_name.empty();
  const storage::InTreePlugin* plugin = storage::InTreePluginOf(volume);
  return plugin != nullptr && plugin->is_migrated && !storage::TranslateInlineVolume(volume);
}

Status CollectVolumes(const api::Pod& pod, PodRole role, bool has_csi_node, const Lister& lister, VolumeSet& volumes) {
  for (const api::Volume& volume : pod.spec->volumes) {
    const std::optional<storage::ClaimUse> use = storage::ClaimOf(pod, volume);
    if (!use.has_value()) {
      if (Status status = AddInlineVolume(volume, has_csi_node, volumes); !status.ok()) return status;
      continue;
    }
    if (use->name.empty()) return Status::FromError("PersistentVolumeClaim had no name");
    const api::PersistentVolumeClaim* claim = lister.FindClaim(pod.meta.namespace_, use->name);
    if (claim == nullptr) {
      if (role == PodRole::Existing) continue;
      return Status::Unresolvable(
          fmt::format("looking up PVC {}/{}: {}", pod.meta.namespace_, use->name, storage::ClaimNotFound(use->name)));
    }
    if (use->is_ephemeral) {
      if (std::optional<std::string> problem = storage::OwnershipProblem(*claim, pod)) {
        return Status::FromError(*std::move(problem));
      }
    }
    if (std::optional<AttachedVolume> found = VolumeOf(*claim, has_csi_node, lister)) volumes.Add(*std::move(found));
  }
  return Status::Success();
}

VolumeSet VolumesOfAttachments(std::string_view node, const Lister& lister) {
  VolumeSet volumes;
  for (const api::VolumeAttachment* attachment : lister.VolumeAttachmentsOf(node)) {
    if (attachment->attacher.empty() || !attachment->persistent_volume_name.has_value()) continue;
    const api::PersistentVolume* volume = lister.FindPersistentVolume(*attachment->persistent_volume_name);
    if (volume == nullptr || volume->csi_driver.empty()) continue;
    volumes.Add(MakeVolume(attachment->attacher, volume->csi_volume_handle));
  }
  return volumes;
}

}  // namespace berth::plugins
