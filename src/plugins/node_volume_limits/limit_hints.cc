// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/limit_hints.h"

#include "framework/event_objects.h"
#include "plugins/node_volume_limits/attached_volumes.h"
#include "plugins/storage/claims.h"
#include "plugins/storage/csi_migration.h"

#include <algorithm>

namespace berth::plugins {
namespace {

using namespace framework;

int32_t PublishedLimit(const api::CsiNode& node, std::string_view driver) {
  // The last entry of a name counts.
  const auto it = std::find_if(node.drivers.rbegin(), node.drivers.rend(),
                               [&](const api::CsiNodeDriver& entry) { return entry.name == driver; });
  return it == node.drivers.rend() ? 0 : it->allocatable_count.value_or(0);
}

Result<QueueingHint> AfterCsiNodeUpdated(const PodInfo&, const api::Object* before, const api::Object* after) {
  const auto* old_node = ObjectAs<api::CsiNode>(before);
  const auto* new_node = ObjectAs<api::CsiNode>(after);
  if (old_node == nullptr || new_node == nullptr) return QueueingHint::Queue;
  for (const api::CsiNodeDriver& driver : new_node->drivers) {
    if (driver.allocatable_count.value_or(0) > PublishedLimit(*old_node, driver.name)) return QueueingHint::Queue;
  }
  return QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterPodDeleted(const PodInfo&, const api::Object* before, const api::Object*) {
  const auto* deleted = ObjectAs<api::Pod>(before);
  if (deleted == nullptr) return QueueingHint::Queue;
  if (deleted->node_name.empty() && deleted->status->nominated_node_name.empty()) return QueueingHint::QueueSkip;
  const std::vector<api::Volume>& volumes = deleted->spec->volumes;
  return std::any_of(volumes.begin(), volumes.end(), MayNeedAttaching) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterClaimAdded(const PodInfo& pod, const api::Object*, const api::Object* after) {
  const auto* added = ObjectAs<api::PersistentVolumeClaim>(after);
  if (added == nullptr) return QueueingHint::Queue;
  return storage::UsesClaim(*pod, *added) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterAttachmentDeleted(const PodInfo& pod, const api::Object* before, const api::Object*) {
  const auto* deleted = ObjectAs<api::VolumeAttachment>(before);
  if (deleted == nullptr) return QueueingHint::Queue;
  for (const api::Volume& volume : pod.spec().volumes) {
    if (std::holds_alternative<api::ClaimVolume>(volume.source)) return QueueingHint::Queue;
    const storage::InTreePlugin* plugin = storage::InTreePluginOf(volume);
    if (plugin == nullptr) continue;
    if (plugin->is_migrated && !storage::TranslateInlineVolume(volume)) return QueueingHint::Queue;
    if (plugin->csi_driver == deleted->attacher) return QueueingHint::Queue;
  }
  return QueueingHint::QueueSkip;
}

}  // namespace

std::vector<ClusterEventWithHint> VolumeLimitEvents() {
  // Claims of ephemeral volumes are named after the pod, so each pod is asked about claims.
  return {{{EventResource::CsiNode, kAdd}, nullptr, /*by_template=*/true},
          {{EventResource::CsiNode, kUpdate}, AfterCsiNodeUpdated, /*by_template=*/true},
          {{EventResource::Pod, kDelete}, AfterPodDeleted, /*by_template=*/true},
          {{EventResource::PersistentVolumeClaim, kAdd}, AfterClaimAdded},
          {{EventResource::VolumeAttachment, kDelete}, AfterAttachmentDeleted, /*by_template=*/true}};
}

}  // namespace berth::plugins
