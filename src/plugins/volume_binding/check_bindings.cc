// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/check_bindings.h"

#include "plugins/storage/claims.h"
#include "plugins/storage/csi_migration.h"

#include <optional>
#include <string>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using framework::ClusterView;
using framework::Lister;
using framework::ObjectKey;
using Write = Reservation::Write;

// A write asked for the very version it was decided on, so whatever else the cluster shows is it, or newer.
template <typename T>
bool IsOlderThanWrite(const T& real, const T& written, Write write) {
  return write == Write::Done && real.meta.resource_version == written.meta.resource_version;
}

Error NoClaim(std::string_view action, const ObjectKey& claim) {
  return NotFoundError(
      fmt::format("{}: persistentvolumeclaims \"{}/{}\" not found", action, claim.namespace_, claim.name));
}

// The node may have lost the label that let it reach the volume, or the volume was made elsewhere.
Result<void> CheckReach(const api::PersistentVolume& volume, const api::Node& node, const Lister& lister,
                        std::string_view action) {
  std::optional<api::NodeSelector> affinity = volume.node_affinity;
  const storage::InTreePlugin* plugin = storage::InTreePluginOf(volume);
  if (plugin != nullptr && plugin->is_migrated &&
      storage::IsMigratedOn(lister.FindCsiNode(node.meta.name), plugin->name)) {
    Result<storage::CsiVolume> translated = storage::TranslateVolume(volume);
    if (!translated) {
      return InvalidError(fmt::format("{}could not translate pv: {}", action, translated.error().message));
    }
    affinity = std::move(translated->node_affinity);
  }
  if (!affinity || api::Matches(*affinity, node.meta.labels, "")) return {};
  return InvalidError(fmt::format("pv \"{}\" node affinity doesn't match node \"{}\": no matching NodeSelectorTerms",
                                  volume.meta.name, node.meta.name));
}

Result<bool> Check(const Reservation::Binding& binding, const api::Node& node, const Lister& lister) {
  const api::PersistentVolume* volume = lister.FindPersistentVolume(binding.volume->meta.name);
  if (volume == nullptr) {
    return NotFoundError(
        fmt::format("failed to check binding: persistentvolumes \"{}\" not found", binding.volume->meta.name));
  }
  const api::PersistentVolumeClaim* claim = lister.FindClaim(binding.claim.namespace_, binding.claim.name);
  if (claim == nullptr) return NoClaim("failed to check binding", binding.claim);
  if (IsOlderThanWrite(*volume, *binding.volume, binding.write)) return false;
  BERTH_RETURN_IF_ERROR(CheckReach(*volume, node, lister, "failed to translate pv to csi: "));
  if (!volume->claim_ref.has_value() || volume->claim_ref->uid.empty()) {
    return InvalidError(fmt::format("ClaimRef got reset for pv \"{}\"", volume->meta.name));
  }
  return storage::IsFullyBound(*claim);
}

Result<bool> Check(const Reservation::Provision& provision, const api::Node& node, const Lister& lister) {
  const ObjectKey key = KeyOf(*provision.claim);
  const api::PersistentVolumeClaim* claim = lister.FindClaim(key.namespace_, key.name);
  if (claim == nullptr) return NoClaim("failed to check provisioning pvc", key);
  if (IsOlderThanWrite(*claim, *provision.claim, provision.write)) return false;
  if (claim->meta.annotations.empty()) {
    return InvalidError(fmt::format("selectedNode annotation reset for PVC \"{}\"", claim->meta.name));
  }
  // A provisioner that fails takes the annotation away.
  const std::string* selected = claim->meta.annotations.Find(storage::kSelectedNode);
  if (selected == nullptr || *selected != node.meta.name) {
    return InvalidError(fmt::format("provisioning failed for PVC \"{}\"", claim->meta.name));
  }
  if (!claim->volume_name.empty()) {
    const api::PersistentVolume* volume = lister.FindPersistentVolume(claim->volume_name);
    if (volume == nullptr) return false;  // not told yet; if it was deleted, the claim will be unbound
    BERTH_RETURN_IF_ERROR(CheckReach(*volume, node, lister, ""));
  }
  return storage::IsFullyBound(*claim);
}

}  // namespace

Result<bool> CheckBindings(const Reservation& reservation, std::string_view node_name, const ClusterView& cluster,
                           const Lister& lister) {
  const framework::NodeId id = cluster.FindNode(node_name);
  if (id == framework::kNoNode) {
    return NotFoundError(fmt::format("failed to get node \"{0}\": node \"{0}\" not found", node_name));
  }
  const api::Node& node = *cluster.node(id).node;
  for (const Reservation::Binding& binding : reservation.bindings) {
    BERTH_ASSIGN_OR_RETURN(const bool is_bound, Check(binding, node, lister));
    if (!is_bound) return false;
  }
  for (const Reservation::Provision& provision : reservation.provisions) {
    BERTH_ASSIGN_OR_RETURN(const bool is_bound, Check(provision, node, lister));
    if (!is_bound) return false;
  }
  return true;
}

std::vector<ObjectKey> ObjectsToWatch(const Reservation& reservation, std::string_view node, const Lister& lister) {
  std::vector<ObjectKey> objects = {{"Node", "", std::string(node)}, {"CSINode", "", std::string(node)}};
  for (const Reservation::Binding& binding : reservation.bindings) {
    objects.push_back(KeyOf(*binding.volume));
    objects.push_back(binding.claim);
  }
  for (const Reservation::Provision& provision : reservation.provisions) {
    objects.push_back(KeyOf(*provision.claim));
    const api::ObjectMeta& meta = provision.claim->meta;
    const api::PersistentVolumeClaim* claim = lister.FindClaim(meta.namespace_, meta.name);
    if (claim != nullptr && !claim->volume_name.empty())
      objects.push_back({"PersistentVolume", "", claim->volume_name});
  }
  return objects;
}

}  // namespace berth::plugins
