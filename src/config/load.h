// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/defaults.h"
#include "config/profile_plan.h"
#include "config/types.h"
#include "framework/registry.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::config {

// The stage at which a configuration was rejected; later ones are not reached.
enum class Stage : uint8_t { Decode, Validate, Build };
std::string_view StageName(Stage stage);  // "decode", "validate", "build"

struct ConfigProblem {
  Stage stage = Stage::Decode;
  std::vector<std::string> messages;  // "source:line:column: path: why", as far as each is known
};

// A loaded configuration, with notes on what was changed while loading.
struct LoadedConfiguration {
  SchedulerConfiguration config;   // v1, defaulted, valid
  api::Value document;             // the v1 document it was decoded from: the file's own, or the converted one
  std::string original_version;    // as in the file
  std::vector<std::string> notes;  // what conversion dropped or changed, and what has no effect
  // The plugins that it may name: the program's, and those that it brings along. Plans are built with it.
  std::shared_ptr<const framework::Registry> registry;
};

template <typename T>
using OrProblem = std::variant<T, ConfigProblem>;

// Changes a configuration after it was completed and before it is validated: flags that precede the file.
using Override = std::function<void(SchedulerConfiguration&)>;

// Loads a configuration of any version from YAML or JSON. Only the first document counts, as upstream. The registry
// knows which plugins have types for their arguments; defaults and validation depend on the feature gates.
OrProblem<LoadedConfiguration> LoadConfiguration(std::string_view text, std::string_view source,
                                                 const framework::Registry& registry,
                                                 const features::FeatureGates& gates = {},
                                                 const Override& precede = {});
// The same for a file; "-" is standard input.
OrProblem<LoadedConfiguration> LoadConfigurationFile(const std::string& path, const framework::Registry& registry,
                                                     const features::FeatureGates& gates = {});

// A loaded configuration with the plans the runtime builds profiles from.
struct PlannedConfiguration {
  LoadedConfiguration loaded;
  std::vector<ProfilePlan> plans;
};
OrProblem<PlannedConfiguration> LoadAndPlan(std::string_view text, std::string_view source,
                                            const framework::Registry& registry,
                                            const features::FeatureGates& gates = {}, const Override& precede = {});
OrProblem<PlannedConfiguration> LoadAndPlanFile(const std::string& path, const framework::Registry& registry,
                                                const features::FeatureGates& gates = {}, const Override& precede = {});

}  // namespace berth::config
