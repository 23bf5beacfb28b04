// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "conformance/cluster_shape.h"
#include "conformance/dice.h"

#include <string>

namespace berth::conformance {

// The name of the i-th resource of ClusterShape::extra_resources.
std::string ExtraResource(size_t i);

api::NodePtr RandomNode(Dice& dice, const ClusterShape& shape, const std::string& name);

}  // namespace berth::conformance
