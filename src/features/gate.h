// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::features {

// The feature gates that affect scheduling, by their upstream names. scheduling_gates.h says what each changes.
enum class Gate : uint8_t {
  ClearingNominatedNodeNameAfterBinding,
  ComponentFlagz,
  ComponentStatusz,
  ContextualLogging,
  CoordinatedLeaderElection,
  DRAAdminAccess,
  DRAConsumableCapacity,
  DRADeviceBindingConditions,
  DRADeviceTaintRules,
  DRADeviceTaints,
  DRAExtendedResource,
  DRAListTypeAttributes,
  DRANodeAllocatableResources,
  DRAPartitionableDevices,
  DRAPrioritizedList,
  DRAResourceClaimDeviceStatus,
  DRASchedulerFilterTimeout,
  DRAWorkloadResourceClaims,
  DynamicResourceAllocation,
  GangScheduling,
  GenericWorkload,
  InPlacePodLevelResourcesVerticalScaling,
  InPlacePodVerticalScaling,
  LoggingAlphaOptions,
  LoggingBetaOptions,
  MatchLabelKeysInPodAffinity,
  MatchLabelKeysInPodTopologySpread,
  MatchLabelKeysInPodTopologySpreadSelectorMerge,
  MutableCSINodeAllocatableCount,
  NodeDeclaredFeatures,
  NodeInclusionPolicyInPodTopologySpread,
  NominatedNodeNameForExpectation,
  OpportunisticBatching,
  PodLevelResources,
  PodSchedulingReadiness,
  SchedulerAsyncAPICalls,
  SchedulerAsyncPreemption,
  SchedulerPopFromBackoffQ,
  SchedulerQueueingHints,
  SidecarContainers,
  StorageCapacityScoring,
  TaintTolerationComparisonOperators,
  TopologyAwareWorkloadScheduling,
  VolumeAttributesClass,
  VolumeLimitScaling,
  WorkloadAwarePreemption,
  WorkloadWithJob,
};
inline constexpr size_t kGateCount = static_cast<size_t>(Gate::WorkloadWithJob) + 1;

}  // namespace berth::features
