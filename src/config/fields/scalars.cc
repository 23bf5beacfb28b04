// SPDX-License-Identifier: Apache-2.0
#include "config/fields/scalars.h"

#include "config/fields/base64.h"
#include "config/fields/go_duration.h"

#include <charconv>

#include <fmt/format.h>

namespace berth::config {

using api::Value;

std::optional<double> ReadNumber(api::FieldReader& reader, std::string_view key) {
  const Value* value = reader.Raw(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind() == Value::Kind::Int || value->kind() == Value::Kind::Float) {
    const std::string& text = value->text();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) return number;
  }
  reader.Fail(key, fmt::format("expected number, found {}", api::KindName(value->kind())));
  return std::nullopt;
}

std::optional<Duration> ReadDuration(api::FieldReader& reader, std::string_view key, bool null_is_absent) {
  const Value* value = reader.Raw(key);
  if (value == nullptr) {
    if (!null_is_absent && reader.value().Find(key) != nullptr) reader.Fail(key, "null is no duration");
    return std::nullopt;
  }
  if (!value->is_string()) {
    reader.Fail(key, fmt::format("expected a duration such as \"15s\", found {}", api::KindName(value->kind())));
    return std::nullopt;
  }
  const std::optional<Duration> duration = ParseGoDuration(value->text());
  if (!duration) reader.Fail(key, fmt::format("\"{}\" is no duration such as \"15s\" or \"1m30s\"", value->text()));
  return duration;
}

std::string ReadBytes(api::FieldReader& reader, std::string_view key) {
  std::optional<std::string> bytes = DecodeBase64(reader.String(key));
  if (!bytes) reader.Fail(key, "is not base64");
  return std::move(bytes).value_or("");
}

}  // namespace berth::config
