// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_zone/volume_topology.h"

#include <algorithm>
#include <optional>

namespace berth::plugins {
namespace {

// "z0__z1" as its values; nothing when one of them is empty.
std::optional<std::vector<std::string>> SplitZones(std::string_view text) {
  constexpr std::string_view kDelimiter = "__";
  constexpr std::string_view kSpace = " \t\n\r\v\f";
  std::vector<std::string> zones;
  for (size_t at = 0; at != std::string_view::npos;) {
    const size_t end = text.find(kDelimiter, at);
    std::string_view zone = text.substr(at, end == std::string_view::npos ? end : end - at);
    const size_t first = zone.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return std::nullopt;
    zone = zone.substr(first, zone.find_last_not_of(kSpace) - first + 1);
    zones.emplace_back(zone);
    at = end == std::string_view::npos ? end : end + kDelimiter.size();
  }
  std::sort(zones.begin(), zones.end());
  zones.erase(std::unique(zones.begin(), zones.end()), zones.end());
  return zones;
}

}  // namespace

bool VolumeTopology::Allows(std::string_view value) const {
  return std::binary_search(values.begin(), values.end(), value);
}

std::vector<VolumeTopology> TopologiesOf(const api::PersistentVolume& volume) {
  std::vector<VolumeTopology> topologies;
  for (size_t i = 0; i < kZoneLabels.size(); ++i) {
    const std::string* value = volume.meta.labels.Find(kZoneLabels[i]);
    if (value == nullptr) continue;
    if (auto zones = SplitZones(*value)) topologies.push_back({i, std::move(*zones)});
  }
  return topologies;
}

bool TopologiesAllow(const std::vector<VolumeTopology>& topologies, const api::Labels& node_labels) {
  if (std::none_of(kZoneLabels.begin(), kZoneLabels.end(), [&](auto key) { return node_labels.Has(key); })) return true;
  return std::all_of(topologies.begin(), topologies.end(), [&](const VolumeTopology& topology) {
    const std::string* value = node_labels.Find(kZoneLabels[topology.label]);
    if (value == nullptr) value = node_labels.Find(kZoneLabels[kCurrentLabel[topology.label]]);
    return value != nullptr && topology.Allows(*value);
  });
}

}  // namespace berth::plugins
