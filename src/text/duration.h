// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <string>

namespace berth::text {

// A human-readable duration in at most its two largest units: "0s", "350ms", "12.3s", "2m30s", "3h05m", "2d4h".
// Truncated, not rounded.
std::string DurationText(Duration duration);

}  // namespace berth::text
