// SPDX-License-Identifier: Apache-2.0
#include "plugins/registry.h"

#include "plugins/default_binder/default_binder.h"
#include "plugins/default_preemption/default_preemption.h"
#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/image_locality/image_locality.h"
#include "plugins/node_affinity/node_affinity.h"
#include "plugins/node_declared_features/node_declared_features.h"
#include "plugins/node_name/node_name.h"
#include "plugins/node_ports/node_ports.h"
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/node_unschedulable/node_unschedulable.h"
#include "plugins/priority_sort/priority_sort.h"
#include "plugins/scheduling_gates/scheduling_gates.h"
#include "plugins/taint_toleration/taint_toleration.h"

namespace berth::plugins {

framework::Registry InTreeRegistry() {
  return framework::Registry({
      DefaultBinderEntry(),
      DefaultPreemptionEntry(),
      DynamicResourcesEntry(),
      ImageLocalityEntry(),
      NodeAffinityEntry(),
      NodeDeclaredFeaturesEntry(),
      NodeNameEntry(),
      NodePortsEntry(),
      NodeResourcesBalancedAllocationEntry(),
      NodeResourcesFitEntry(),
      NodeUnschedulableEntry(),
      PrioritySortEntry(),
      SchedulingGatesEntry(),
      TaintTolerationEntry(),
  });
}

}  // namespace berth::plugins
