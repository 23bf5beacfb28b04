// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/storage.h"
#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

// Kubernetes once had drivers for cloud disks built in. Their volumes are served by CSI drivers today, and are counted
// and placed as volumes of these.
namespace berth::plugins::storage {

// A built-in driver and the CSI driver that took its place.
struct InTreePlugin {
  std::string_view name;
  std::string_view csi_driver;
  bool is_migrated = true;  // upstream's scheduler translates its volumes
};

// Null when no CSI driver took the place of the volume's driver.
const InTreePlugin* InTreePluginOf(const api::Volume& volume);
const InTreePlugin* InTreePluginOf(const api::PersistentVolume& volume);
const InTreePlugin* FindInTreePlugin(std::string_view name);

// The plugins the node leaves to CSI drivers, separated by commas; null when it names none.
const std::string* MigratedPluginsOf(const api::CsiNode& node);
// Says whether the node lists the plugin among those it leaves to CSI drivers. `node` may be null.
bool IsMigratedOn(const api::CsiNode* node, std::string_view plugin);

// A built-in volume as its CSI driver sees it.
struct CsiVolume {
  std::string handle;
  std::optional<api::NodeSelector> node_affinity;
};

// The volume must be of an InTreePlugin that is_migrated. Errors read as upstream's.
Result<std::string> TranslateInlineVolume(const api::Volume& volume);
Result<CsiVolume> TranslateVolume(const api::PersistentVolume& volume);

}  // namespace berth::plugins::storage
