// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "base/clock.h"

#include <optional>
#include <string>
#include <string_view>

// Scalars that occur only in configurations. An invalid one is reported as an error and read as absent.
namespace berth::config {

std::optional<double> ReadNumber(api::FieldReader& reader, std::string_view key);
// A Go duration: "1m30s". Unless null_is_absent, null is an error, as upstream treats it for such fields.
std::optional<Duration> ReadDuration(api::FieldReader& reader, std::string_view key, bool null_is_absent = false);
// Base64-encoded bytes.
std::string ReadBytes(api::FieldReader& reader, std::string_view key);

}  // namespace berth::config
