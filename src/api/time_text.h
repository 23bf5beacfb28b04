// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::api {

// RFC 3339, as in "2026-01-31T12:00:00.5+02:00"; nothing when the text is no such time or lies beyond Timestamp.
std::optional<Timestamp> ParseRfc3339(std::string_view text);
// In UTC and whole seconds, as the API server writes times.
std::string ToRfc3339(Timestamp time);
// The same with microseconds: what the API calls a MicroTime.
std::string ToRfc3339Micro(Timestamp time);

}  // namespace berth::api
