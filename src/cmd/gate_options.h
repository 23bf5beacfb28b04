// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "features/feature_gates.h"

#include <iosfwd>

namespace berth::cmd {

// The gates set by the flags. Settings without effect are warned about on `err`; settings Berth must refuse are the
// error.
Result<features::FeatureGates> GatesFrom(const features::GateFlags& flags, std::ostream& err);

}  // namespace berth::cmd
