// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "conformance/world.h"

namespace berth::conformance {

// Judges one pod and writes down what was decided, in the shape of a golden case's `expect`.
api::Value Evaluate(World& world, const framework::PodInfo& pod);

}  // namespace berth::conformance
