// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "simulator/scenario/scenario.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

// Parts shared by several fields of a scenario. Invalid values are reported as errors and read as absent.
namespace berth::simulator {

// A time or a duration, not negative.
std::optional<Duration> ReadTime(api::FieldReader& reader, std::string_view key);
// The same, above zero.
std::optional<Duration> ReadPositiveTime(api::FieldReader& reader, std::string_view key);
// A number of at least 1.
std::optional<uint64_t> ReadCount(api::FieldReader& reader, std::string_view key);
// "30m", {exponential: 30m} or {uniform: [5m, 1h]}.
std::optional<Span> ReadSpan(api::FieldReader& reader, std::string_view key);
// from, until, every or poisson, and batch; `count` too when `counted`.
Arrivals ReadArrivals(api::FieldReader& reader, bool counted);
// The name of a group or workload: objects are named after it.
std::string ReadName(api::FieldReader& reader);

// Decodes `document` as the kind it names, which may be one of the custom kinds, and reports errors under `path`.
void CheckObject(const api::Value& document, std::span<const std::string> custom_kinds, std::string_view path,
                 api::Position at, api::DecodeErrors& errors);

}  // namespace berth::simulator
