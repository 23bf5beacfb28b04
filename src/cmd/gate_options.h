// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "features/feature_gates.h"

#include <iosfwd>

namespace berth::cmd {

// The gates set by the flags. Warns on `err` about settings without effect; fails for settings that must be refused.
Result<features::FeatureGates> GatesFrom(const features::GateFlags& flags, std::ostream& err);

}  // namespace berth::cmd
