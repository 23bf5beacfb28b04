// SPDX-License-Identifier: Apache-2.0
#include "config/convert/policy_names.h"

#include <array>

namespace berth::config {
namespace {

constexpr std::array<std::string_view, 4> kGeneral = {"NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"};
constexpr std::array<std::string_view, 1> kFit = {"NodeResourcesFit"};
constexpr std::array<std::string_view, 1> kName = {"NodeName"};
constexpr std::array<std::string_view, 1> kPorts = {"NodePorts"};
constexpr std::array<std::string_view, 1> kAffinity = {"NodeAffinity"};
constexpr std::array<std::string_view, 1> kTaints = {"TaintToleration"};
constexpr std::array<std::string_view, 1> kUnschedulable = {"NodeUnschedulable"};
constexpr std::array<std::string_view, 1> kRestrictions = {"VolumeRestrictions"};
constexpr std::array<std::string_view, 1> kBinding = {"VolumeBinding"};
constexpr std::array<std::string_view, 1> kZone = {"VolumeZone"};
constexpr std::array<std::string_view, 1> kLimits = {"NodeVolumeLimits"};
constexpr std::array<std::string_view, 1> kPods = {"InterPodAffinity"};
constexpr std::array<std::string_view, 1> kSpread = {"PodTopologySpread"};

struct Predicate {
  std::string_view name;
  std::span<const std::string_view> plugins;
  std::string_view gone;
};
constexpr std::string_view kCsi = "was removed: NodeVolumeLimits (MaxCSIVolumeCountPred) counts CSI volumes";
constexpr std::array<Predicate, 24> kPredicates = {{
    {"GeneralPredicates", kGeneral, ""},
    {"PodFitsResources", kFit, ""},
    {"HostName", kName, ""},
    {"PodFitsHostPorts", kPorts, ""},
    {"PodFitsPorts", kPorts, ""},
    {"MatchNodeSelector", kAffinity, ""},
    {"PodToleratesNodeTaints", kTaints, ""},
    {"PodToleratesNodeNoExecuteTaints", kTaints, ""},
    {"CheckNodeUnschedulable", kUnschedulable, ""},
    // Node conditions have been represented as taints since 1.12.
    {"CheckNodeCondition", kTaints, ""},
    {"CheckNodeMemoryPressure", kTaints, ""},
    {"CheckNodeDiskPressure", kTaints, ""},
    {"CheckNodePIDPressure", kTaints, ""},
    {"NoDiskConflict", kRestrictions, ""},
    {"CheckVolumeBinding", kBinding, ""},
    {"NoVolumeZoneConflict", kZone, ""},
    {"MaxCSIVolumeCountPred", kLimits, ""},
    {"MaxEBSVolumeCount", {}, kCsi},
    {"MaxGCEPDVolumeCount", {}, kCsi},
    {"MaxAzureDiskVolumeCount", {}, kCsi},
    {"MaxCinderVolumeCount", {}, kCsi},
    {"MatchInterPodAffinity", kPods, ""},
    {"EvenPodsSpread", kSpread, ""},
    {"CheckServiceAffinity", {}, "was removed in 1.23: use InterPodAffinity"},
}};

struct Priority {
  std::string_view name;
  std::string_view plugin;
  std::string_view gone;
};
constexpr std::array<Priority, 14> kPriorities = {{
    {"LeastRequestedPriority", "NodeResourcesLeastAllocated", ""},
    {"MostRequestedPriority", "NodeResourcesMostAllocated", ""},
    {"RequestedToCapacityRatioPriority", "RequestedToCapacityRatio", ""},
    {"BalancedResourceAllocation", "NodeResourcesBalancedAllocation", ""},
    {"EvenPodsSpreadPriority", "PodTopologySpread", ""},
    // PodTopologySpread's system defaults spread the pods of one owner, as SelectorSpread did.
    {"SelectorSpreadPriority", "PodTopologySpread", ""},
    {"ServiceSpreadingPriority", "PodTopologySpread", ""},
    {"InterPodAffinityPriority", "InterPodAffinity", ""},
    {"NodeAffinityPriority", "NodeAffinity", ""},
    {"TaintTolerationPriority", "TaintToleration", ""},
    {"ImageLocalityPriority", "ImageLocality", ""},
    {"NodePreferAvoidPodsPriority", "", "was removed: use node taints"},
    {"ResourceLimitsPriority", "", "was removed in 1.20"},
    {"EqualPriority", "", "had no effect and was removed"},
}};

constexpr std::array<PolicyPlugin, 12> kPlugins = {{
    {"NodeName", false, true, false, false},
    {"NodePorts", true, true, false, false},
    {"NodeResourcesFit", true, true, true, true},
    {"NodeAffinity", true, true, true, true},
    {"VolumeRestrictions", true, true, false, false},
    {"NodeVolumeLimits", true, true, false, false},
    {"VolumeBinding", true, true, false, false},
    {"VolumeZone", true, true, false, false},
    {"PodTopologySpread", true, true, true, true},
    {"InterPodAffinity", true, true, true, true},
    {"NodeResourcesBalancedAllocation", false, false, true, true},
    {"ImageLocality", false, false, false, true},
}};

}  // namespace

PredicateMeaning MeaningOfPredicate(std::string_view name) {
  for (const Predicate& predicate : kPredicates) {
    if (predicate.name == name) return {true, predicate.plugins, predicate.gone};
  }
  return {};
}

PriorityMeaning MeaningOfPriority(std::string_view name) {
  for (const Priority& priority : kPriorities) {
    if (priority.name == name) return {true, priority.plugin, priority.gone};
  }
  return {};
}

std::span<const PolicyPlugin> PolicyPlugins() { return kPlugins; }

}  // namespace berth::config
