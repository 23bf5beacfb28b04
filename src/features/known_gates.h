// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/version.h"

#include <span>
#include <string_view>

namespace berth::features {

// The maturity of a feature. PreAlpha: it does not exist yet.
enum class Stage : uint8_t { PreAlpha, Alpha, Beta, GA, Deprecated };
std::string_view StageName(Stage stage);  // "alpha", "beta", "GA", …

// A gate's properties from one release on, until its next spec.
struct GateSpec {
  std::string_view gate;
  Version since;
  Stage stage = Stage::PreAlpha;
  bool on = false;      // the default
  bool locked = false;  // flags must not change it
};

// Every gate that the kube-scheduler binary of kOwnVersion knows, whether it affects scheduling or not. The specs of a
// gate are adjacent, oldest first; gates are sorted by name.
std::span<const GateSpec> AllSpecs();

// The specs of one gate; empty when there is no such gate.
std::span<const GateSpec> SpecsOf(std::string_view gate);

// The spec in effect at a release; a PreAlpha one when the gate is newer.
GateSpec SpecAt(std::span<const GateSpec> specs, Version version);

// A gate that can be on only if another is.
struct Dependency {
  std::string_view gate;
  std::string_view needs;
};
std::span<const Dependency> Dependencies();  // sorted by gate

}  // namespace berth::features
