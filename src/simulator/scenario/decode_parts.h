// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "simulator/scenario/scenario.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

// Parts of a scenario that several of its fields are made of. What is wrong is noted and reads as nothing.
namespace berth::simulator {

// A moment or a length of time, not negative.
std::optional<Duration> ReadTime(api::FieldReader& reader, std::string_view key);
// The same, longer than nothing.
std::optional<Duration> ReadPositiveTime(api::FieldReader& reader, std::string_view key);
// A number from 1 on.
std::optional<uint64_t> ReadCount(api::FieldReader& reader, std::string_view key);
// "30m", {exponential: 30m} or {uniform: [5m, 1h]}.
std::optional<Span> ReadSpan(api::FieldReader& reader, std::string_view key);
// from, until, every or poisson, and batch; `count` too when `counted`.
Arrivals ReadArrivals(api::FieldReader& reader, bool counted);
// The name of a group or workload: objects are named after it.
std::string ReadName(api::FieldReader& reader);

// Decodes `document` as the kind it names, which may be one of the custom kinds, and notes what is wrong under `path`.
void CheckObject(const api::Value& document, std::span<const std::string> custom_kinds, std::string_view path,
                 api::Position at, api::DecodeErrors& errors);

}  // namespace berth::simulator
