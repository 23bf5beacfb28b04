// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"

#include <memory>

namespace berth::plugins {

// Finds the pods for which a node that comes, or whose labels change, can begin to match.
std::shared_ptr<const framework::HintKeys> NodeAffinityKeys();

}  // namespace berth::plugins
