// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::config {

// Durations as Go writes them: "1h2m3.5s", "300ms", "-1s", "0". Nothing when the text is none or does not fit.
std::optional<Duration> ParseGoDuration(std::string_view text);

// The shortest such text, as Go prints it: "1m2.5s", "0s".
std::string FormatGoDuration(Duration duration);

}  // namespace berth::config
