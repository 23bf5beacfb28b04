// SPDX-License-Identifier: Apache-2.0
#include "features/diagnosis.h"

#include "features/scheduling_gates.h"

#include <optional>

#include <fmt/format.h>

namespace berth::features {
namespace {

// The gate value Berth behaves like; nothing when it follows the gate or the gate does not concern it.
std::optional<bool> FixedValue(Support support) {
  switch (support) {
    case Support::AlwaysOn: return true;
    case Support::AlwaysOff:
    case Support::NotImplemented: return false;
    case Support::Honoured:
    case Support::NoEffect: return std::nullopt;
  }
  return std::nullopt;
}

std::string What(const GateState& state, const FeatureGates& gates) {
  const std::string_view value = state.on ? "on" : "off";
  switch (state.origin) {
    case Origin::Set: return fmt::format("feature gate {}={} has no effect", state.name, state.on);
    case Origin::AllAlpha:
    case Origin::AllBeta:
      return fmt::format("{}={} turns feature gate {} {}, which has no effect", OriginName(state.origin), state.on,
                         state.name, value);
    case Origin::Default: break;
  }
  return fmt::format("emulating version {} turns feature gate {} {}, which has no effect",
                     gates.emulated_version().Text(), state.name, value);
}

std::string Next(const GateState& state, bool fixed) {
  const bool settable = state.stage != Stage::PreAlpha && (!state.locked || state.on_by_default == fixed);
  if (state.origin == Origin::Set) return state.on_by_default == fixed ? "leave the gate out" : "expect it as it is";
  if (!settable) return "expect it as it is";
  return fmt::format("set {}={} to say that this is known", state.name, fixed);
}

}  // namespace

std::vector<GateDiagnosis> Diagnose(const FeatureGates& gates) {
  const FeatureGates own;
  std::vector<GateDiagnosis> found;
  for (const SchedulingGate& gate : SchedulingGates()) {
    const std::optional<bool> fixed = FixedValue(gate.support);
    const GateState state = gates.State(gate.gate);
    const bool untouched = state.origin == Origin::Default && state.on == own.Enabled(gate.gate);
    if (!fixed || *fixed == state.on || untouched) continue;
    const std::string why = gate.reason.empty() ? "" : fmt::format(": {}", gate.reason);
    const bool refused = gate.support == Support::NotImplemented && state.origin == Origin::Set && !state.on_by_default;
    found.push_back(
        {gate.gate, refused,
         fmt::format("{} (it stands for: {}){}; {}", What(state, gates), gate.effect, why, Next(state, *fixed))});
  }
  return found;
}

}  // namespace berth::features
