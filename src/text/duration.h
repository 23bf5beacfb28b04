// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <string>

namespace berth::text {

// A length of time for the eye, with its two largest units at most: "0s", "350ms", "12.3s", "2m30s", "3h05m", "2d4h".
// What is cut off is cut, not rounded.
std::string DurationText(Duration duration);

}  // namespace berth::text
