// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"
#include "framework/pod_info.h"
#include "framework/resource.h"

#include <string>

namespace berth::explain {

PodNeeds NeedsOf(const framework::PodInfo& pod, const framework::ResourceNames& names);

// "zone in (a, b)", "gpu exists", "!spot": one requirement as people write it.
std::string RequirementText(const api::NodeSelectorRequirement& requirement);

}  // namespace berth::explain
