// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "api/decoder.h"

// Selectors inside plugin arguments. Cluster objects are read leniently; configuration is not, hence a reader of its
// own that refuses unknown fields.
namespace berth::config {

api::NodeAffinity DecodeNodeAffinity(api::FieldReader& reader);

// Words that TopologySpreadConstraint has no value for are left to validation (whenUnsatisfiable) or, as upstream does,
// not to be Honor (the two policies).
api::TopologySpreadConstraint DecodeSpreadConstraint(api::FieldReader& reader);

}  // namespace berth::config
