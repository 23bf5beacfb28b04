// SPDX-License-Identifier: Apache-2.0
#include "plugins/storage/csi_migration.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::plugins::storage {
namespace {

constexpr std::string_view kMigratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";
constexpr std::string_view kZoneDelimiter = "__";

constexpr InTreePlugin kAwsEbs{"kubernetes.io/aws-ebs", "ebs.csi.aws.com"};
constexpr InTreePlugin kGcePd{"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"};
constexpr InTreePlugin kCinder{"kubernetes.io/cinder", "cinder.csi.openstack.org"};
constexpr InTreePlugin kAzureDisk{"kubernetes.io/azure-disk", "disk.csi.azure.com"};
constexpr InTreePlugin kPortworx{"kubernetes.io/portworx-volume", "pxd.portworx.com"};
constexpr InTreePlugin kAzureFile{"kubernetes.io/azure-file", "file.csi.azure.com", false};
constexpr InTreePlugin kVsphere{"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", false};

constexpr std::array kPlugins = {&kAwsEbs, &kGcePd, &kCinder, &kAzureDisk, &kPortworx, &kAzureFile, &kVsphere};

struct PluginOfSource {
  const InTreePlugin* operator()(const api::AwsElasticBlockStore&) const { return &kAwsEbs; }
  const InTreePlugin* operator()(const api::GcePersistentDisk&) const { return &kGcePd; }
  const InTreePlugin* operator()(const api::Cinder&) const { return &kCinder; }
  const InTreePlugin* operator()(const api::AzureDisk&) const { return &kAzureDisk; }
  const InTreePlugin* operator()(const api::Portworx&) const { return &kPortworx; }
  const InTreePlugin* operator()(const api::AzureFile&) const { return &kAzureFile; }
  const InTreePlugin* operator()(const api::VsphereVolume&) const { return &kVsphere; }
  template <typename Other>
  const InTreePlugin* operator()(const Other&) const {
    return nullptr;
  }
};

std::vector<std::string> Split(std::string_view text, std::string_view delimiter) {
  std::vector<std::string> parts;
  for (size_t at = 0;;) {
    const size_t end = text.find(delimiter, at);
    parts.emplace_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + delimiter.size();
  }
}

std::string_view Trim(std::string_view text, std::string_view what) {
  const size_t first = text.find_first_not_of(what);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(what) - first + 1);
}

// A volume id is "vol-…" itself or at the end of "aws://zone/vol-…".
Result<std::string> EbsHandle(const std::string& volume_id) {
  constexpr std::string_view kScheme = "aws://";
  if (!volume_id.starts_with(kScheme)) return volume_id;
  std::string_view rest = std::string_view(volume_id).substr(kScheme.size());
  rest = rest.substr(0, rest.find_first_of("?#"));
  const size_t path = rest.find('/');
  const std::string_view id = path == std::string_view::npos ? "" : Trim(rest.substr(path), "/");
  if (!id.starts_with("vol-") || id.find('/') != std::string_view::npos) {
    return InvalidError(fmt::format(
        "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({})", volume_id));
  }
  return std::string(id);
}

Result<std::string> GceRegionOf(const std::vector<std::string>& zones) {
  std::set<std::string> regions;
  for (const std::string& zone : zones) {
    const std::vector<std::string> parts = Split(zone, "-");
    if (parts.size() != 3) {
      return InvalidError(fmt::format(
          "failed to get region from zones: zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: "
          "{}",
          zone));
    }
    regions.insert(parts[0] + "-" + parts[1]);
  }
  if (regions.size() != 1) {
    return InvalidError(
        fmt::format("failed to get region from zones: multiple or no regions gotten from zones, got: map[{}:{{}}]",
                    fmt::join(regions, ":{} ")));
  }
  return *regions.begin();
}

std::string GceHandle(std::string_view place, std::string_view disk) {
  return fmt::format("projects/UNSPECIFIED/{}/disks/{}", place, disk);
}

Result<std::string> GceHandle(const api::PersistentVolume& volume, const api::GcePersistentDisk& disk) {
  const std::string* label = volume.meta.labels.Find(kBetaZone);
  if (label == nullptr || label->empty()) label = volume.meta.labels.Find(kZone);
  if (label == nullptr || label->empty()) return GceHandle("zones/UNSPECIFIED", disk.pd_name);
  const std::vector<std::string> zones = Split(*label, kZoneDelimiter);
  if (zones.size() == 1) return GceHandle("zones/" + zones[0], disk.pd_name);
  BERTH_ASSIGN_OR_RETURN(const std::string region, GceRegionOf(zones));
  return GceHandle("regions/" + region, disk.pd_name);
}

bool Mentions(const std::optional<api::NodeSelector>& affinity, std::string_view key) {
  if (!affinity.has_value()) return false;
  return std::any_of(affinity->terms.begin(), affinity->terms.end(), [&](const api::NodeSelectorTerm& term) {
    return std::any_of(term.match_expressions.begin(), term.match_expressions.end(),
                       [&](const api::NodeSelectorRequirement& requirement) { return requirement.key == key; });
  });
}

// Says whether a requirement on the key names any value.
bool HasValues(const api::NodeSelector& affinity, std::string_view key) {
  return std::any_of(affinity.terms.begin(), affinity.terms.end(), [&](const api::NodeSelectorTerm& term) {
    return std::any_of(term.match_expressions.begin(), term.match_expressions.end(),
                       [&](const api::NodeSelectorRequirement& requirement) {
                         return requirement.key == key && !requirement.values.empty();
                       });
  });
}

void Rename(api::NodeSelector& affinity, std::string_view from, std::string_view to) {
  for (api::NodeSelectorTerm& term : affinity.terms) {
    for (api::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.key == from) requirement.key = to;
    }
  }
}

void RequireZones(std::optional<api::NodeSelector>& affinity, std::string_view key, std::string_view zone_label) {
  std::set<std::string> zones;
  for (const std::string& zone : Split(zone_label, kZoneDelimiter)) {
    if (const std::string_view trimmed = Trim(zone, " \t\n\r\v\f"); !trimmed.empty()) zones.emplace(trimmed);
  }
  if (zones.empty()) return;
  if (!affinity.has_value()) affinity.emplace();
  if (affinity->terms.empty()) affinity->terms.emplace_back();
  for (api::NodeSelectorTerm& term : affinity->terms) {
    term.match_expressions.push_back({std::string(key), "In", {zones.begin(), zones.end()}});
  }
}

// The affinity in the driver's terms: its own zone key in place of the general one, taken from the volume's labels when
// the affinity says nothing of zones.
std::optional<api::NodeSelector> WithDriverTopology(const api::PersistentVolume& volume, std::string_view driver_key) {
  std::optional<api::NodeSelector> affinity = volume.node_affinity;
  const bool is_beta =
      !Mentions(affinity, kZone) &&
      (Mentions(affinity, kBetaZone) || (!volume.meta.labels.Has(kZone) && volume.meta.labels.Has(kBetaZone)));
  const std::string_view zone_key = is_beta ? kBetaZone : kZone;
  if (affinity.has_value() && HasValues(*affinity, zone_key)) {
    Rename(*affinity, zone_key, driver_key);
  } else if (const std::string* label = volume.meta.labels.Find(zone_key)) {
    RequireZones(affinity, driver_key, *label);
  }
  // New nodes carry only the current region label.
  if (is_beta && affinity.has_value() && HasValues(*affinity, kBetaRegion)) Rename(*affinity, kBetaRegion, kRegion);
  return affinity;
}

struct HandleOfSource {
  Result<std::string> operator()(const api::AwsElasticBlockStore& store) const { return EbsHandle(store.volume_id); }
  Result<std::string> operator()(const api::GcePersistentDisk& disk) const {
    return GceHandle("zones/UNSPECIFIED", disk.pd_name);
  }
  Result<std::string> operator()(const api::Cinder& cinder) const { return cinder.volume_id; }
  Result<std::string> operator()(const api::AzureDisk& disk) const { return disk.data_disk_uri; }
  Result<std::string> operator()(const api::Portworx& portworx) const { return portworx.volume_id; }
  template <typename Other>
  Result<std::string> operator()(const Other&) const {
    return InvalidError("no CSI driver takes this volume");
  }
};

}  // namespace

const InTreePlugin* InTreePluginOf(const api::Volume& volume) { return std::visit(PluginOfSource{}, volume.source); }

const InTreePlugin* InTreePluginOf(const api::PersistentVolume& volume) { return InTreePluginOf(volume.in_tree); }

const InTreePlugin* FindInTreePlugin(std::string_view name) {
  const auto it =
      std::find_if(kPlugins.begin(), kPlugins.end(), [&](const auto* plugin) { return plugin->name == name; });
  return it == kPlugins.end() ? nullptr : *it;
}

const std::string* MigratedPluginsOf(const api::CsiNode& node) { return node.meta.annotations.Find(kMigratedPlugins); }

bool IsMigratedOn(const api::CsiNode* node, std::string_view plugin) {
  const std::string* migrated = node == nullptr ? nullptr : MigratedPluginsOf(*node);
  if (migrated == nullptr) return false;
  const std::vector<std::string> names = Split(*migrated, ",");
  return std::find(names.begin(), names.end(), plugin) != names.end();
}

Result<std::string> TranslateInlineVolume(const api::Volume& volume) {
  return std::visit(HandleOfSource{}, volume.source);
}

Result<CsiVolume> TranslateVolume(const api::PersistentVolume& volume) {
  if (const auto* disk = std::get_if<api::GcePersistentDisk>(&volume.in_tree.source)) {
    BERTH_ASSIGN_OR_RETURN(std::string handle, GceHandle(volume, *disk));
    return CsiVolume{std::move(handle), WithDriverTopology(volume, "topology.gke.io/zone")};
  }
  BERTH_ASSIGN_OR_RETURN(std::string handle, TranslateInlineVolume(volume.in_tree));
  if (std::holds_alternative<api::AwsElasticBlockStore>(volume.in_tree.source)) {
    return CsiVolume{std::move(handle), WithDriverTopology(volume, "topology.ebs.csi.aws.com/zone")};
  }
  if (std::holds_alternative<api::Cinder>(volume.in_tree.source)) {
    return CsiVolume{std::move(handle), WithDriverTopology(volume, "topology.cinder.csi.openstack.org/zone")};
  }
  return CsiVolume{std::move(handle), volume.node_affinity};
}

}  // namespace berth::plugins::storage
