// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"

#include <string>

namespace berth::simulator {

// The pod with a node promised to it; an empty name takes the promise back.
framework::PodInfoPtr WithNomination(const framework::PodInfoPtr& pod, std::string node);
// The pod as it is once bound: on the node, with no promise left.
framework::PodInfoPtr WithNode(const framework::PodInfoPtr& pod, std::string node);

}  // namespace berth::simulator
