// SPDX-License-Identifier: Apache-2.0
#include "plugins/registry.h"

#include "plugins/node_name/node_name.h"
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {

framework::Registry InTreeRegistry() {
  return framework::Registry({
      NodeNameEntry(),
      NodeResourcesBalancedAllocationEntry(),
      NodeResourcesFitEntry(),
  });
}

}  // namespace berth::plugins
