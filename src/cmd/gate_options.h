// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "features/feature_gates.h"

#include <iosfwd>

namespace berth::cmd {

// The gates that flags ask for. What they ask for in vain goes to `err`; what cannot be granted is the error.
Result<features::FeatureGates> GatesFrom(const features::GateFlags& flags, std::ostream& err);

}  // namespace berth::cmd
