// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::config {

// Go durations: "1h2m3.5s", "300ms", "-1s", "0". Nothing when the text is invalid or out of range.
std::optional<Duration> ParseGoDuration(std::string_view text);

// Formats a duration as Go does: "1m2.5s", "0s".
std::string FormatGoDuration(Duration duration);

}  // namespace berth::config
