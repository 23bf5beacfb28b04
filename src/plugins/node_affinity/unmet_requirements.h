// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "framework/extension_points/describe_rejection.h"

#include <vector>

namespace berth::plugins {

// What the pod's nodeSelector and required node affinity ask of the node's labels and do not find. With several
// alternative terms no single requirement is to blame, and none of them is named.
std::vector<framework::Lack> UnmetRequirements(const api::PodSpec& spec, const api::Node& node);

}  // namespace berth::plugins
