// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/feature_gates.h"

#include <string>
#include <vector>

namespace berth::features {

// A gate that was asked to be what Berth is not.
struct GateDiagnosis {
  Gate gate;
  // Someone set the gate to other than its default, and counts on something that Berth does not have: better not to
  // start. Otherwise a warning is enough.
  bool refused = false;
  std::string text;  // what, why, and what to do
};

// What flags or an emulated version ask for in vain. Gates at the defaults of kOwnVersion are never diagnosed:
// docs/feature-gates.md tells about those.
std::vector<GateDiagnosis> Diagnose(const FeatureGates& gates);

}  // namespace berth::features
