// SPDX-License-Identifier: Apache-2.0
#include "features/scheduling_gates.h"

#include <array>

namespace berth::features {
namespace {

using enum Support;

constexpr std::string_view kNoClaims = "pods with resource claims are refused: devices are not allocated yet";
constexpr std::string_view kNoGroups = "pods of a group are placed one by one: groups are not scheduled as a whole yet";
constexpr std::string_view kInRelease = "part of every release since 1.33, and locked";

constexpr auto kGates = std::to_array<SchedulingGate>({
    {Gate::ClearingNominatedNodeNameAfterBinding, "ClearingNominatedNodeNameAfterBinding", NoEffect,
     "a binding clears the pod's nominatedNodeName", "the API server does it"},
    {Gate::ComponentFlagz, "ComponentFlagz", Honoured, "the endpoint /flagz", ""},
    {Gate::ComponentStatusz, "ComponentStatusz", Honoured, "the endpoint /statusz", ""},
    {Gate::ContextualLogging, "ContextualLogging", NoEffect, "loggers are handed down instead of taken from a global",
     "Berth's always are"},
    {Gate::CoordinatedLeaderElection, "CoordinatedLeaderElection", NotImplemented,
     "the control plane picks the leader among LeaseCandidates", "leadership is taken through a lease alone"},
    {Gate::DRAAdminAccess, "DRAAdminAccess", NotImplemented, "claims that look at devices in use", kNoClaims},
    {Gate::DRAConsumableCapacity, "DRAConsumableCapacity", NotImplemented, "devices shared by amount", kNoClaims},
    {Gate::DRADeviceBindingConditions, "DRADeviceBindingConditions", NotImplemented,
     "binding waits until devices are ready; DynamicResourcesArgs.bindingTimeout", kNoClaims},
    {Gate::DRADeviceTaintRules, "DRADeviceTaintRules", NotImplemented, "DeviceTaintRule objects", kNoClaims},
    {Gate::DRADeviceTaints, "DRADeviceTaints", NotImplemented, "taints of devices", kNoClaims},
    {Gate::DRAExtendedResource, "DRAExtendedResource", NotImplemented, "extended resources served by devices",
     "extended resources count only where a node's allocatable has them"},
    {Gate::DRAListTypeAttributes, "DRAListTypeAttributes", NotImplemented, "device attributes with several values",
     kNoClaims},
    {Gate::DRANodeAllocatableResources, "DRANodeAllocatableResources", NotImplemented,
     "devices that take from a node's cpu or memory", kNoClaims},
    {Gate::DRAPartitionableDevices, "DRAPartitionableDevices", NotImplemented, "devices that share counters",
     kNoClaims},
    {Gate::DRAPrioritizedList, "DRAPrioritizedList", NotImplemented, "claims with alternatives", kNoClaims},
    {Gate::DRAResourceClaimDeviceStatus, "DRAResourceClaimDeviceStatus", NotImplemented,
     "the state of devices in a claim's status", kNoClaims},
    {Gate::DRASchedulerFilterTimeout, "DRASchedulerFilterTimeout", NotImplemented,
     "DynamicResourcesArgs.filterTimeout ends the search for devices", kNoClaims},
    {Gate::DRAWorkloadResourceClaims, "DRAWorkloadResourceClaims", NotImplemented, "claims shared by a pod group",
     kNoClaims},
    {Gate::DynamicResourceAllocation, "DynamicResourceAllocation", Honoured,
     "the plugin DynamicResources, among the defaults", kNoClaims},
    {Gate::GangScheduling, "GangScheduling", NotImplemented,
     "the plugin GangScheduling, among the defaults: the pods of a gang start together or not at all", kNoGroups},
    {Gate::GenericWorkload, "GenericWorkload", NotImplemented, "pod groups are scheduled in cycles of their own",
     kNoGroups},
    {Gate::InPlacePodLevelResourcesVerticalScaling, "InPlacePodLevelResourcesVerticalScaling", Honoured,
     "a resize of pod-level resources counts with what it holds", ""},
    {Gate::InPlacePodVerticalScaling, "InPlacePodVerticalScaling", Honoured,
     "a resize under way counts with what it holds", ""},
    {Gate::LoggingAlphaOptions, "LoggingAlphaOptions", Honoured, "kube-scheduler's alpha logging flags",
     "without it the flags are refused; with it they are accepted and change nothing"},
    {Gate::LoggingBetaOptions, "LoggingBetaOptions", NoEffect, "kube-scheduler's beta logging flags", "there are none"},
    {Gate::MatchLabelKeysInPodAffinity, "MatchLabelKeysInPodAffinity", NoEffect,
     "matchLabelKeys and mismatchLabelKeys of affinity terms", "the API server merges them into the selectors"},
    {Gate::MatchLabelKeysInPodTopologySpread, "MatchLabelKeysInPodTopologySpread", Honoured,
     "matchLabelKeys of topology spread constraints", ""},
    {Gate::MatchLabelKeysInPodTopologySpreadSelectorMerge, "MatchLabelKeysInPodTopologySpreadSelectorMerge", NoEffect,
     "matchLabelKeys are merged into the selector when a pod is created", "the API server does it"},
    {Gate::MutableCSINodeAllocatableCount, "MutableCSINodeAllocatableCount", NoEffect,
     "the volume limit of a CSI driver may change", "the kubelet does it; changed limits always count"},
    {Gate::NodeDeclaredFeatures, "NodeDeclaredFeatures", Honoured,
     "the plugin NodeDeclaredFeatures, among the defaults", ""},
    {Gate::NodeInclusionPolicyInPodTopologySpread, "NodeInclusionPolicyInPodTopologySpread", AlwaysOn,
     "nodeAffinityPolicy and nodeTaintsPolicy of topology spread constraints", kInRelease},
    {Gate::NominatedNodeNameForExpectation, "NominatedNodeNameForExpectation", Honoured,
     "a pod is nominated to its node before it waits at Permit or in PreBind; PreBind plugins that have nothing to do "
     "are skipped",
     ""},
    {Gate::OpportunisticBatching, "OpportunisticBatching", AlwaysOff,
     "pods of equal signature share the nodes found for the first of them",
     "every pod is decided in full, which is fast enough, and gives the same decisions"},
    {Gate::PodLevelResources, "PodLevelResources", Honoured,
     "spec.resources of a pod counts instead of its containers'", ""},
    {Gate::PodSchedulingReadiness, "PodSchedulingReadiness", AlwaysOn, "spec.schedulingGates", kInRelease},
    {Gate::SchedulerAsyncAPICalls, "SchedulerAsyncAPICalls", Honoured,
     "patches of a pod's status that wait are merged, and give way to its binding",
     "without it no write is waited for either, see below"},
    {Gate::SchedulerAsyncPreemption, "SchedulerAsyncPreemption", Honoured,
     "victims are evicted in the background, while other pods are scheduled", ""},
    {Gate::SchedulerPopFromBackoffQ, "SchedulerPopFromBackoffQ", Honoured,
     "when no pod is active, one that backs off is tried early", ""},
    {Gate::SchedulerQueueingHints, "SchedulerQueueingHints", Honoured,
     "plugins tell which events may help the pods they rejected",
     "without it more pods are woken than upstream, see below"},
    {Gate::SidecarContainers, "SidecarContainers", AlwaysOn,
     "init containers that restart count as long as the pod runs", kInRelease},
    {Gate::StorageCapacityScoring, "StorageCapacityScoring", Honoured,
     "VolumeBinding scores nodes by free storage; VolumeBindingArgs.shape", ""},
    {Gate::TaintTolerationComparisonOperators, "TaintTolerationComparisonOperators", Honoured,
     "tolerations with the operators Lt and Gt", ""},
    {Gate::TopologyAwareWorkloadScheduling, "TopologyAwareWorkloadScheduling", NotImplemented,
     "the plugins TopologyPlacementGenerator and PodGroupPodsCount, among the defaults", kNoGroups},
    {Gate::VolumeAttributesClass, "VolumeAttributesClass", AlwaysOn,
     "a claim is bound only to volumes of its volumeAttributesClassName", "the names are always compared"},
    {Gate::VolumeLimitScaling, "VolumeLimitScaling", NotImplemented,
     "nodes that lack a pod's CSI driver are refused where the CSIDriver says so",
     "a missing driver sets no limit yet"},
    {Gate::WorkloadAwarePreemption, "WorkloadAwarePreemption", NotImplemented, "preemption for and of whole pod groups",
     kNoGroups},
    {Gate::WorkloadWithJob, "WorkloadWithJob", NoEffect, "the Job controller creates workloads",
     "the Job controller does it"},
});
static_assert(kGates.size() == kGateCount);

}  // namespace

std::string_view SupportName(Support support) {
  switch (support) {
    case Honoured: return "honoured";
    case AlwaysOn: return "always on";
    case AlwaysOff: return "always off";
    case NotImplemented: return "not implemented";
    case NoEffect: return "no effect";
  }
  return "";
}

std::span<const SchedulingGate> SchedulingGates() { return kGates; }

const SchedulingGate& Describe(Gate gate) { return kGates[static_cast<size_t>(gate)]; }

}  // namespace berth::features
