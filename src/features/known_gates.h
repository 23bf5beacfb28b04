// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/version.h"

#include <span>
#include <string_view>

namespace berth::features {

// How far a feature has come. PreAlpha: it does not exist yet.
enum class Stage : uint8_t { PreAlpha, Alpha, Beta, GA, Deprecated };
std::string_view StageName(Stage stage);  // "alpha", "beta", "GA", …

// What a gate is from one release on, until its next spec.
struct GateSpec {
  std::string_view gate;
  Version since;
  Stage stage = Stage::PreAlpha;
  bool on = false;      // unless a flag says otherwise
  bool locked = false;  // no flag may say otherwise
};

// Every gate that the kube-scheduler binary of kOwnVersion knows, whether it bears on scheduling or not: the specs of
// one gate stand together, oldest first; gates are sorted by name.
std::span<const GateSpec> AllSpecs();

// The specs of one gate; empty when there is no such gate.
std::span<const GateSpec> SpecsOf(std::string_view gate);

// The spec that holds at a release; a PreAlpha one when the gate is younger.
GateSpec SpecAt(std::span<const GateSpec> specs, Version version);

// A gate that can be on only while another is.
struct Dependency {
  std::string_view gate;
  std::string_view needs;
};
std::span<const Dependency> Dependencies();  // sorted by gate

}  // namespace berth::features
