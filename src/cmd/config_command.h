// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/feature_gates.h"
#include "framework/registry.h"

#include <iosfwd>
#include <string>
#include <vector>

// `berth config …`: questions about a configuration that can be answered without running it. Answers go to `out`,
// everything else to `err`. All return the exit code: 0 yes, 1 failure, 3 the answer is "no". Defaults and validation
// depend on the feature gates.
namespace berth::cmd {

struct ConfigStreams {
  std::ostream* out;
  std::ostream* err;
  bool colour = false;
};
// Standard output and error; coloured when standard output is a terminal that supports it.
ConfigStreams StandardStreams();

// One line per valid file; for the others every problem with its line, and exit code 3.
int RunConfigCheck(const std::vector<std::string>& files, const framework::Registry& registry,
                   const ConfigStreams& streams = StandardStreams(), const features::FeatureGates& gates = {});

// Prints an older file as v1 YAML; changes in meaning are noted on `err`. A v1 file is printed as it is.
int RunConfigConvert(const std::string& file, const framework::Registry& registry,
                     const ConfigStreams& streams = StandardStreams(), const features::FeatureGates& gates = {});

// Prints the complete default configuration as v1 YAML.
int RunConfigDefaults(const framework::Registry& registry, const ConfigStreams& streams = StandardStreams(),
                      const features::FeatureGates& gates = {});

// Prints how the file differs from the defaults; 0 when it does not, 3 when it does.
int RunConfigDiff(const std::string& file, const framework::Registry& registry,
                  const ConfigStreams& streams = StandardStreams(), const features::FeatureGates& gates = {});

}  // namespace berth::cmd
