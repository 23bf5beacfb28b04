// SPDX-License-Identifier: Apache-2.0
#include "plugins/registry.h"

#include "plugins/default_binder/default_binder.h"
#include "plugins/default_preemption/default_preemption.h"
#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/gang_scheduling/gang_scheduling.h"
#include "plugins/image_locality/image_locality.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/node_affinity/node_affinity.h"
#include "plugins/node_declared_features/node_declared_features.h"
#include "plugins/node_name/node_name.h"
#include "plugins/node_ports/node_ports.h"
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/node_unschedulable/node_unschedulable.h"
#include "plugins/node_volume_limits/node_volume_limits.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/priority_sort/priority_sort.h"
#include "plugins/scheduling_gates/scheduling_gates.h"
#include "plugins/taint_toleration/taint_toleration.h"
#include "plugins/volume_binding/volume_binding.h"
#include "plugins/volume_restrictions/volume_restrictions.h"
#include "plugins/volume_zone/volume_zone.h"

namespace berth::plugins {

framework::Registry InTreeRegistry() {
  return framework::Registry({
      DefaultBinderEntry(),
      DefaultPreemptionEntry(),
      DynamicResourcesEntry(),
      GangSchedulingEntry(),
      ImageLocalityEntry(),
      InterPodAffinityEntry(),
      NodeAffinityEntry(),
      NodeDeclaredFeaturesEntry(),
      NodeNameEntry(),
      NodePortsEntry(),
      NodeResourcesBalancedAllocationEntry(),
      NodeResourcesFitEntry(),
      NodeUnschedulableEntry(),
      NodeVolumeLimitsEntry(),
      PodTopologySpreadEntry(),
      PrioritySortEntry(),
      SchedulingGatesEntry(),
      TaintTolerationEntry(),
      VolumeBindingEntry(),
      VolumeRestrictionsEntry(),
      VolumeZoneEntry(),
  });
}

}  // namespace berth::plugins
