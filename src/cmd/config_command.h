// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/feature_gates.h"
#include "framework/registry.h"

#include <iosfwd>
#include <string>
#include <vector>

// `berth config …`: what can be asked of a configuration without running it. Answers go to `out`, the rest to `err`.
// All return the exit code: 0 yes, 1 could not be done, 3 the answer is "no". Feature gates decide on defaults and on
// what is allowed.
namespace berth::cmd {

struct ConfigStreams {
  std::ostream* out;
  std::ostream* err;
  bool colour = false;
};
// Standard output and error; coloured when output is a terminal that wants it.
ConfigStreams StandardStreams();

// One line per good file; for the others every problem with its line, and exit code 3.
int RunConfigCheck(const std::vector<std::string>& files, const framework::Registry& registry,
                   const ConfigStreams& streams = StandardStreams(), const features::FeatureGates& gates = {});

// An older file as v1 YAML; what changed in meaning is noted on `err`. A v1 file comes out as it is.
int RunConfigConvert(const std::string& file, const framework::Registry& registry,
                     const ConfigStreams& streams = StandardStreams(), const features::FeatureGates& gates = {});

// The whole configuration that an empty file means, as v1 YAML.
int RunConfigDefaults(const framework::Registry& registry, const ConfigStreams& streams = StandardStreams(),
                      const features::FeatureGates& gates = {});

// What the file changes against the defaults; 0 when nothing, 3 when something.
int RunConfigDiff(const std::string& file, const framework::Registry& registry,
                  const ConfigStreams& streams = StandardStreams(), const features::FeatureGates& gates = {});

}  // namespace berth::cmd
