// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/volume.h"
#include "conformance/cluster_shape.h"
#include "conformance/dice.h"

#include <vector>

namespace berth::conformance {

// Storage classes, drivers, capacities, volumes, claims and attachments for nodes with names from RandomNodeName. Some
// references dangle.
std::vector<api::Object> RandomStorage(Dice& dice, const ClusterShape& shape);

// The source of a pod's volume: usually a claim that RandomStorage may have made.
decltype(api::Volume::source) RandomVolumeSource(Dice& dice);

}  // namespace berth::conformance
