// SPDX-License-Identifier: Apache-2.0
#include "features/known_gates.h"

#include <algorithm>
#include <array>

namespace berth::features {
namespace {

using enum Stage;

// Rows: gate, major, minor, stage, on, locked. Written by tools/feature_gates/dump.go.
constexpr auto kSpecs = std::to_array<GateSpec>({
#include "features/known_gates.inc"
});

constexpr auto kDependencies = std::to_array<Dependency>({
#include "features/gate_dependencies.inc"
});

}  // namespace

std::string_view StageName(Stage stage) {
  switch (stage) {
    case PreAlpha: return "not there yet";
    case Alpha: return "alpha";
    case Beta: return "beta";
    case GA: return "GA";
    case Deprecated: return "deprecated";
  }
  return "";
}

std::span<const GateSpec> AllSpecs() { return kSpecs; }

std::span<const GateSpec> SpecsOf(std::string_view gate) {
  return {std::ranges::lower_bound(kSpecs, gate, {}, &GateSpec::gate),
          std::ranges::upper_bound(kSpecs, gate, {}, &GateSpec::gate)};
}

GateSpec SpecAt(std::span<const GateSpec> specs, Version version) {
  for (size_t i = specs.size(); i-- > 0;) {
    if (specs[i].since <= version) return specs[i];
  }
  GateSpec unborn;
  if (!specs.empty()) unborn.gate = specs.front().gate;
  return unborn;
}

std::span<const Dependency> Dependencies() { return kDependencies; }

}  // namespace berth::features
