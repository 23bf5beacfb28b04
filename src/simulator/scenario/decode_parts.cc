// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/decode_parts.h"

#include "api/object.h"
#include "config/fields/go_duration.h"
#include "config/fields/scalars.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::simulator {

using api::FieldReader;
using api::Value;

namespace {

constexpr uint64_t kMostObjects = 10'000'000;
constexpr size_t kLongestName = 200;  // leaves room for numbers

std::optional<Duration> TimeElement(FieldReader& reader, std::string_view key, const Value& value) {
  const std::optional<Duration> duration =
      value.is_string() ? config::ParseGoDuration(value.text()) : std::optional<Duration>();
  if (duration && *duration >= Duration::zero() && *duration <= kLongestTime) return duration;
  reader.errors().Add(reader.Path(key), value.position(), "expected a duration such as \"15s\" or \"1m30s\"");
  return std::nullopt;
}

std::optional<Span> UniformSpan(FieldReader& shape) {
  const Value* bounds = shape.Raw("uniform");
  if (!bounds->is_list() || bounds->items().size() != 2) {
    shape.Fail("uniform", "expected the shortest and the longest, as in [5m, 1h]");
    return std::nullopt;
  }
  const auto low = TimeElement(shape, "uniform", bounds->items()[0]);
  const auto high = TimeElement(shape, "uniform", bounds->items()[1]);
  if (!low || !high) return std::nullopt;
  if (*low > *high) {
    shape.Fail("uniform", "the shortest comes first");
    return std::nullopt;
  }
  return Span{Span::Shape::Uniform, *low, *high};
}

bool IsNameLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && IsNameLetter(name.front()) && IsNameLetter(name.back()) &&
         std::ranges::all_of(name, [](char c) { return IsNameLetter(c) || c == '-' || c == '.'; });
}

}  // namespace

std::optional<Duration> ReadTime(FieldReader& reader, std::string_view key) {
  const std::optional<Duration> time = config::ReadDuration(reader, key, /*null_is_absent=*/true);
  if (!time || (*time >= Duration::zero() && *time <= kLongestTime)) return time;
  reader.Fail(key, *time < Duration::zero() ? "is before the start" : "is more than a hundred years");
  return std::nullopt;
}

std::optional<Duration> ReadPositiveTime(FieldReader& reader, std::string_view key) {
  const std::optional<Duration> time = ReadTime(reader, key);
  if (!time || *time > Duration::zero()) return time;
  reader.Fail(key, "must be longer than nothing");
  return std::nullopt;
}

std::optional<uint64_t> ReadCount(FieldReader& reader, std::string_view key) {
  const std::optional<int64_t> count = reader.Int64(key);
  if (!count) return std::nullopt;
  if (*count >= 1 && static_cast<uint64_t>(*count) <= kMostObjects) return static_cast<uint64_t>(*count);
  reader.Fail(key, fmt::format("must be from 1 to {}", kMostObjects));
  return std::nullopt;
}

std::optional<Span> ReadSpan(FieldReader& reader, std::string_view key) {
  const Value* value = reader.Raw(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_map()) {
    const std::optional<Duration> fixed = ReadTime(reader, key);
    return fixed ? std::optional(Span{Span::Shape::Fixed, *fixed, {}}) : std::nullopt;
  }
  std::optional<Span> span;
  reader.Map(key, [&](FieldReader& shape) {
    if (value->members().size() != 1) {
      shape.errors().Add(shape.path(), value->position(), "expected one of exponential and uniform");
    } else if (shape.Raw("uniform") != nullptr) {
      span = UniformSpan(shape);
    } else if (const auto mean = ReadPositiveTime(shape, "exponential")) {
      span = Span{Span::Shape::Exponential, *mean, {}};
    }
    shape.RejectUnknown();
  });
  return span;
}

Arrivals ReadArrivals(FieldReader& reader, bool counted) {
  Arrivals arrivals;
  arrivals.from = ReadTime(reader, "from").value_or(Duration::zero());
  arrivals.until = ReadTime(reader, "until");
  arrivals.every = ReadPositiveTime(reader, "every");
  arrivals.batch = ReadCount(reader, "batch").value_or(1);
  if (counted) arrivals.count = ReadCount(reader, "count");
  reader.Map("poisson", [&](FieldReader& poisson) {
    arrivals.per_hour = config::ReadNumber(poisson, "perHour");
    if (poisson.value().Find("perHour") == nullptr) poisson.Fail("perHour", "a rate is required");
    constexpr double kHighestRate = 1e9;
    if (arrivals.per_hour && (*arrivals.per_hour <= 0 || *arrivals.per_hour > kHighestRate)) {
      poisson.Fail("perHour", "must be more than nothing and at most a billion");
    }
    poisson.RejectUnknown();
  });
  if (arrivals.until && *arrivals.until <= arrivals.from) reader.Fail("until", "is not after \"from\"");
  if (arrivals.every && arrivals.per_hour) reader.Fail("poisson", "\"every\" and \"poisson\" exclude each other");
  return arrivals;
}

std::string ReadName(FieldReader& reader) {
  std::string name = reader.String("name");
  const Value* given = reader.value().Find("name");
  if (given == nullptr) {
    reader.Fail("name", "a name is required");
  } else if (given->is_string() && !IsName(name)) {
    reader.Fail("name", fmt::format("\"{}\" is no name: objects are named after it, so lower case letters, digits, "
                                    "\"-\" and \".\" make it up",
                                    name));
  }
  return name;
}

void CheckObject(const Value& document, std::span<const std::string> custom_kinds, std::string_view path,
                 api::Position at, api::DecodeErrors& errors) {
  api::DecodeErrors found;
  api::DecodeObject(document, custom_kinds, found);
  for (const api::DecodeError& error : found.errors()) {
    errors.Add(error.path.empty() ? std::string(path) : fmt::format("{}.{}", path, error.path),
               error.position.line == 0 ? at : error.position, error.message);
  }
}

}  // namespace berth::simulator
