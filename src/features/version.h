// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::features {

// A minor release of Kubernetes: what a feature gate's stages are counted in.
struct Version {
  uint64_t major = 0;
  uint64_t minor = 0;

  std::string Text() const;       // "1.36"
  Version PreviousMinor() const;  // 1.0 and 0.0 have none: they are their own
  auto operator<=>(const Version&) const = default;
};

// The release whose behaviour Berth has, and the oldest one it can be told to emulate.
inline constexpr Version kOwnVersion{1, 36};
inline constexpr Version kOldestEmulated{1, 33};

// Reads "1.34", "v1.34", "1.34.0" or the like; the errors are worded as upstream's. A patch release other than 0 is
// an error, which names `component`.
Result<Version> ParseVersion(std::string_view text, std::string_view component);

}  // namespace berth::features
