// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "features/gate.h"
#include "features/known_gates.h"
#include "features/version.h"

#include <bitset>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::features {

// The command-line flags, one entry for each time a flag was given.
struct GateFlags {
  std::vector<std::string> feature_gates;              // "A=true,B=false"; a gate may be written "kube:A=true"
  std::vector<std::string> emulated_version;           // "1.34" or "kube=1.34"
  std::vector<std::string> min_compatibility_version;  // the same
};

// What determined a gate's value.
enum class Origin : uint8_t { Default, AllAlpha, AllBeta, Set };
std::string_view OriginName(Origin origin);  // "default", "AllAlpha", "AllBeta", "set"

struct GateState {
  std::string_view name;
  Stage stage = Stage::PreAlpha;
  bool on_by_default = false;
  bool locked = false;
  bool on = false;
  Origin origin = Origin::Default;
};

// Which feature gates are on. Gates, defaults, locks, rejected settings and error messages are those of kube-scheduler
// at the emulated version. Immutable: any thread.
class FeatureGates {
 public:
  // The defaults of v1.36.
  FeatureGates();

  // As kube-scheduler parses its flags. Where upstream reports one of several problems at random, this reports the
  // first by name.
  static Result<FeatureGates> FromFlags(const GateFlags& flags);
  // The same for parsed values, as in a configuration file.
  static Result<FeatureGates> FromMap(const std::map<std::string, bool>& values, Version emulated = kOwnVersion);

  bool Enabled(Gate gate) const { return scheduling_[static_cast<size_t>(gate)]; }
  // Also for gates unrelated to scheduling; nothing when the emulated version has no such gate.
  std::optional<bool> Enabled(std::string_view name) const;

  Version emulated_version() const { return emulated_; }
  // The explicit settings in --feature-gates syntax; together with the emulated version they give the same gates again.
  std::string Text() const;
  GateState State(Gate gate) const;
  std::vector<GateState> All() const;  // those that exist at the emulated version, sorted by name

 private:
  struct Value {
    std::string_view name;
    std::optional<bool> given;  // by a flag
    Origin origin = Origin::Default;
  };

  explicit FeatureGates(Version emulated);
  Result<void> Set(const std::map<std::string, bool>& values, Version min_compatibility);
  Result<void> SetOne(const std::string& name, bool on, Version min_compatibility);
  void SetStage(Stage stage, bool on, Origin origin);
  std::vector<std::string> DependencyProblems() const;
  void Settle();
  Value* Find(std::string_view name);
  bool IsOn(const Value& value) const;
  bool IsOn(std::string_view name) const;
  GateState StateOf(const Value& value) const;

  Version emulated_;
  std::vector<Value> values_;  // of every known gate, sorted by name
  std::bitset<kGateCount> scheduling_;
};

}  // namespace berth::features
