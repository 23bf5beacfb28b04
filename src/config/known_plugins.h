// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/types.h"

#include <string>
#include <string_view>
#include <vector>

// What the configuration code knows about plugins by name, without building any.
namespace berth::config {

inline constexpr std::string_view kGroup = "kubescheduler.config.k8s.io";
inline constexpr std::string_view kApiVersion = "kubescheduler.config.k8s.io/v1";
inline constexpr std::string_view kKind = "KubeSchedulerConfiguration";
inline constexpr std::string_view kDefaultSchedulerName = "default-scheduler";

// The default plugins, in order, with their weights.
std::vector<PluginRef> DefaultMultiPoint(const features::FeatureGates& gates = {});

// Removed plugins that a v1 configuration must not enable at a point or configure.
bool IsRefusedInV1(std::string_view plugin);

// The points of pod-group placement, which are not in framework::ExtensionPoint.
enum class PlacementPoint : uint8_t { Generate, Score };
bool ServesPlacement(std::string_view plugin, PlacementPoint point);

// In-tree plugins that serve placement points only: configurations may name them although no registry lists them.
bool ServesPlacementOnly(std::string_view plugin);

}  // namespace berth::config
