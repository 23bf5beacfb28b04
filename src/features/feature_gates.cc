// SPDX-License-Identifier: Apache-2.0
#include "features/feature_gates.h"

#include "features/gate_flags.h"
#include "features/scheduling_gates.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::features {
namespace {

constexpr std::string_view kAllAlpha = "AllAlpha";
constexpr std::string_view kAllBeta = "AllBeta";

// Several errors are joined as upstream does: in brackets.
Error Joined(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return InvalidError(problems.front());
  return InvalidError(fmt::format("[{}]", fmt::join(problems, ", ")));
}

}  // namespace

std::string_view OriginName(Origin origin) {
  switch (origin) {
    case Origin::Default: return "default";
    case Origin::AllAlpha: return kAllAlpha;
    case Origin::AllBeta: return kAllBeta;
    case Origin::Set: return "set";
  }
  return "";
}

FeatureGates::FeatureGates() : FeatureGates(kOwnVersion) { Settle(); }

FeatureGates::FeatureGates(Version emulated) : emulated_(emulated) {
  for (const GateSpec& spec : AllSpecs()) {
    if (values_.empty() || values_.back().name != spec.gate) values_.push_back({spec.gate, std::nullopt});
  }
}

Result<FeatureGates> FeatureGates::FromFlags(const GateFlags& flags) {
  BERTH_ASSIGN_OR_RETURN(const ParsedFlags parsed, ParseFlags(flags));
  FeatureGates gates(parsed.emulated);
  BERTH_RETURN_IF_ERROR(gates.Set(parsed.values, parsed.min_compatibility));
  const std::vector<std::string> out_of_range = VersionProblems(parsed);
  if (!out_of_range.empty()) return Joined(out_of_range);
  return gates;
}

Result<FeatureGates> FeatureGates::FromMap(const std::map<std::string, bool>& values, Version emulated) {
  FeatureGates gates(emulated);
  BERTH_RETURN_IF_ERROR(gates.Set(values, std::max(emulated.PreviousMinor(), kOldestEmulated)));
  return gates;
}

Result<void> FeatureGates::Set(const std::map<std::string, bool>& values, Version min_compatibility) {
  std::vector<std::string> problems;
  for (const auto& [name, on] : values) {
    if (Find(name) == nullptr) return InvalidError("unrecognized feature gate: " + name);
    if (const Result<void> set = SetOne(name, on, min_compatibility); !set) problems.push_back(set.error().message);
  }
  if (problems.empty()) problems = DependencyProblems();
  if (!problems.empty()) return Joined(problems);
  Settle();
  return {};
}

Result<void> FeatureGates::SetOne(const std::string& name, bool on, Version min_compatibility) {
  const GateSpec spec = SpecAt(SpecsOf(name), emulated_);
  if (spec.locked && spec.on != on) {
    return InvalidError(fmt::format("cannot set feature gate {} to {}, feature is locked to {}", name, on, spec.on));
  }
  if (spec.stage == Stage::PreAlpha) {
    return InvalidError(
        fmt::format("cannot set feature gate {} to {}, feature is PreAlpha at emulated version {}, "
                    "min compatibility version {}",
                    name, on, emulated_.Text(), min_compatibility.Text()));
  }
  if (name == kAllAlpha) SetStage(Stage::Alpha, on, Origin::AllAlpha);
  if (name == kAllBeta) SetStage(Stage::Beta, on, Origin::AllBeta);
  Value& value = *Find(name);
  value.given = on;
  value.origin = Origin::Set;
  return {};
}

// A flag for one gate takes precedence over one for a stage, whichever comes first.
void FeatureGates::SetStage(Stage stage, bool on, Origin origin) {
  for (Value& value : values_) {
    if (value.name == kAllAlpha || value.name == kAllBeta || value.origin == Origin::Set) continue;
    if (SpecAt(SpecsOf(value.name), emulated_).stage != stage) continue;
    value.given = on;
    value.origin = origin;
  }
}

std::vector<std::string> FeatureGates::DependencyProblems() const {
  std::vector<std::string> problems;
  const auto all = Dependencies();
  for (size_t i = 0; i < all.size();) {
    const std::string_view gate = all[i].gate;
    std::vector<std::string_view> off;
    for (; i < all.size() && all[i].gate == gate; ++i) {
      if (!IsOn(all[i].needs)) off.push_back(all[i].needs);
    }
    if (off.empty() || !IsOn(gate)) continue;
    problems.push_back(
        fmt::format("{} is enabled, but depends on features that are disabled: [{}]", gate, fmt::join(off, " ")));
  }
  return problems;
}

// Enabled(Gate) is called on hot paths and must not look up names.
void FeatureGates::Settle() {
  for (const SchedulingGate& gate : SchedulingGates()) {
    scheduling_[static_cast<size_t>(gate.gate)] = IsOn(gate.name);
  }
}

FeatureGates::Value* FeatureGates::Find(std::string_view name) {
  const auto found = std::ranges::lower_bound(values_, name, {}, &Value::name);
  return found != values_.end() && found->name == name ? &*found : nullptr;
}

bool FeatureGates::IsOn(const Value& value) const {
  return value.given.value_or(SpecAt(SpecsOf(value.name), emulated_).on);
}

bool FeatureGates::IsOn(std::string_view name) const {
  const Value* value = const_cast<FeatureGates*>(this)->Find(name);
  return value != nullptr && IsOn(*value);
}

std::optional<bool> FeatureGates::Enabled(std::string_view name) const {
  const Value* value = const_cast<FeatureGates*>(this)->Find(name);
  if (value == nullptr || SpecAt(SpecsOf(name), emulated_).stage == Stage::PreAlpha) return std::nullopt;
  return IsOn(*value);
}

std::string FeatureGates::Text() const {
  std::vector<std::string> settings;
  for (const Value& value : values_) {
    if (value.origin == Origin::Set) settings.push_back(fmt::format("{}={}", value.name, *value.given));
  }
  return fmt::format("{}", fmt::join(settings, ","));
}

GateState FeatureGates::StateOf(const Value& value) const {
  const GateSpec spec = SpecAt(SpecsOf(value.name), emulated_);
  return {value.name, spec.stage, spec.on, spec.locked, IsOn(value), value.origin};
}

GateState FeatureGates::State(Gate gate) const {
  return StateOf(*const_cast<FeatureGates*>(this)->Find(Describe(gate).name));
}

std::vector<GateState> FeatureGates::All() const {
  std::vector<GateState> states;
  for (const Value& value : values_) {
    GateState state = StateOf(value);
    if (state.stage != Stage::PreAlpha) states.push_back(state);
  }
  return states;
}

}  // namespace berth::features
