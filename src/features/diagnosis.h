// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/feature_gates.h"

#include <string>
#include <vector>

namespace berth::features {

// A gate set to a value that Berth does not follow.
struct GateDiagnosis {
  Gate gate;
  // The gate was explicitly set to a non-default value that relies on something Berth does not have, so it must not
  // start. Otherwise a warning is enough.
  bool refused = false;
  std::string text;  // what, why, and what to do
};

// Gate values from flags or an emulated version that Berth does not follow. Gates at the defaults of kOwnVersion are
// never diagnosed: docs/feature-gates.md covers those.
std::vector<GateDiagnosis> Diagnose(const FeatureGates& gates);

}  // namespace berth::features
