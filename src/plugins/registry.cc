// SPDX-License-Identifier: Apache-2.0
#include "plugins/registry.h"

#include "plugins/node_name/node_name.h"

namespace berth::plugins {

framework::Registry InTreeRegistry() {
  return framework::Registry({
      NodeNameEntry(),
  });
}

}  // namespace berth::plugins
