// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "conformance/dice.h"

#include <optional>

namespace berth::conformance {

// A KubeSchedulerConfiguration with random plugin arguments and weights, or nothing for the default one.
std::optional<api::Value> RandomConfiguration(Dice& dice);

}  // namespace berth::conformance
