// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/registry.h"
#include "remote/twin.h"

#include <string>
#include <vector>

namespace berth::cmd {

// The registry with some of its plugins swapped for twins that are reached as plugins of another process are. "all"
// names every plugin. The error names a plugin that there is none of.
Result<framework::Registry> WithTwins(const framework::Registry& registry, const std::vector<std::string>& names,
                                      const remote::DialPlugin& dial);

// Dials twins that live in this process: every message is written and read all the same. The registry outlives them.
remote::DialPlugin DialHere(const framework::Registry& registry);

}  // namespace berth::cmd
