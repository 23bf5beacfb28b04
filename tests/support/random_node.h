// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "support/cluster_shape.h"
#include "support/dice.h"

#include <string>

namespace berth::test {

// The name of the i-th resource that shapes with extra resources add.
std::string ExtraResource(size_t i);

api::NodePtr RandomNode(Dice& dice, const ClusterShape& shape, const std::string& name);

}  // namespace berth::test
