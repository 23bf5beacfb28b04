// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "base/clock.h"

#include <optional>
#include <string>
#include <string_view>

// Scalars that only configurations hold. What is no such scalar is noted and reads as nothing.
namespace berth::config {

std::optional<double> ReadNumber(api::FieldReader& reader, std::string_view key);
// A Go duration: "1m30s". Where null_is_absent is false, null is an error, as it is upstream for such fields.
std::optional<Duration> ReadDuration(api::FieldReader& reader, std::string_view key, bool null_is_absent = false);
// Bytes written as base64.
std::string ReadBytes(api::FieldReader& reader, std::string_view key);

}  // namespace berth::config
