// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/volume.h"
#include "conformance/cluster_shape.h"
#include "conformance/dice.h"

#include <vector>

namespace berth::conformance {

// Storage classes, drivers, capacities, volumes, claims and attachments for nodes named as RandomNodeName names them.
// Some references lead nowhere.
std::vector<api::Object> RandomStorage(Dice& dice, const ClusterShape& shape);

// What a pod's volume is made of: mostly a claim that RandomStorage may have made.
decltype(api::Volume::source) RandomVolumeSource(Dice& dice);

}  // namespace berth::conformance
