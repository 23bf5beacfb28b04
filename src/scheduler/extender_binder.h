// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extender.h"
#include "framework/registry.h"

#include <vector>

namespace berth::scheduler {

// A Bind plugin that hands pods to the first extender that binds and is interested in them, and Skips the others. It
// comes before the Bind plugins of a profile. The extenders outlive it.
framework::PluginEntry ExtenderBinderEntry(std::vector<framework::Extender*> extenders);

}  // namespace berth::scheduler
