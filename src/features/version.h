// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::features {

// A minor release of Kubernetes, the unit of a feature gate's stages.
struct Version {
  uint64_t major = 0;
  uint64_t minor = 0;

  std::string Text() const;       // "1.36"
  Version PreviousMinor() const;  // 1.0 and 0.0 return themselves
  auto operator<=>(const Version&) const = default;
};

// The release whose behaviour Berth implements, and the oldest one it can emulate.
inline constexpr Version kOwnVersion{1, 36};
inline constexpr Version kOldestEmulated{1, 33};

// Parses "1.34", "v1.34", "1.34.0" or the like; errors have upstream's wording. A patch release other than 0 is an
// error, which names `component`.
Result<Version> ParseVersion(std::string_view text, std::string_view component);

}  // namespace berth::features
