// SPDX-License-Identifier: Apache-2.0
#include "api/decoder.h"

#include "api/label_syntax.h"
#include "api/time_text.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace berth::api {

std::string DecodeErrors::Text(std::string_view source) const {
  std::string text;
  for (const DecodeError& error : errors_) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{}:{}:{}: ", source, error.position.line, error.position.column);
    if (!error.path.empty()) text += error.path + ": ";
    text += error.message;
  }
  return text;
}

FieldReader::FieldReader(const Value& map, std::string path, DecodeErrors& errors)
    : map_(map), path_(std::move(path)), errors_(errors) {
  CheckKind(map_, Value::Kind::Map, path_);
}

const Value* FieldReader::Raw(std::string_view key) {
  known_.push_back(key);
  const Value* value = map_.Find(key);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

std::optional<std::string> FieldReader::OptionalString(std::string_view key) {
  const Value* value = OfKind(key, Value::Kind::String);
  return value != nullptr ? std::optional(value->text()) : std::nullopt;
}

std::string FieldReader::String(std::string_view key, std::string_view fallback) {
  const Value* value = OfKind(key, Value::Kind::String);
  return value != nullptr ? value->text() : std::string(fallback);
}

std::optional<bool> FieldReader::OptionalBool(std::string_view key) {
  const Value* value = OfKind(key, Value::Kind::Bool);
  return value != nullptr ? std::optional(value->bool_value()) : std::nullopt;
}

bool FieldReader::Bool(std::string_view key, bool fallback) { return OptionalBool(key).value_or(fallback); }

std::optional<int64_t> FieldReader::Int64(std::string_view key) {
  const Value* value = OfKind(key, Value::Kind::Int);
  if (value == nullptr) return std::nullopt;
  const std::optional<int64_t> number = ParseInteger(value->text());
  if (!number) Fail(key, fmt::format("{} does not fit a 64-bit integer", value->text()));
  return number;
}

std::optional<int32_t> FieldReader::Int32(std::string_view key) {
  const std::optional<int64_t> number = Int64(key);
  if (!number) return std::nullopt;
  if (*number < std::numeric_limits<int32_t>::min() || *number > std::numeric_limits<int32_t>::max()) {
    Fail(key, fmt::format("{} does not fit a 32-bit integer", *number));
    return std::nullopt;
  }
  return static_cast<int32_t>(*number);
}

std::optional<Timestamp> FieldReader::Time(std::string_view key) {
  const Value* value = OfKind(key, Value::Kind::String);
  if (value == nullptr) return std::nullopt;
  const std::optional<Timestamp> time = ParseRfc3339(value->text());
  if (!time) Fail(key, fmt::format("\"{}\" is not an RFC 3339 time", value->text()));
  return time;
}

std::optional<Quantity> FieldReader::QuantityAt(std::string_view key) {
  const Value* value = Raw(key);
  if (value == nullptr) return std::nullopt;
  const bool is_text = value->is_string() || value->kind() == Value::Kind::Int || value->kind() == Value::Kind::Float;
  if (!is_text) {
    Fail(key, fmt::format("expected a quantity, found {}", KindName(value->kind())));
    return std::nullopt;
  }
  std::string_view text = value->text();
  constexpr std::string_view kBlanks = " \t\r\n";  // the API server trims them
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  Result<Quantity> quantity = Quantity::Parse(text);
  if (!quantity) {
    Fail(key, quantity.error().message);
    return std::nullopt;
  }
  return *quantity;
}

std::vector<std::string> FieldReader::Strings(std::string_view key) {
  std::vector<std::string> texts;
  const Value* list = OfKind(key, Value::Kind::List);
  if (list == nullptr) return texts;
  texts.reserve(list->items().size());
  for (size_t i = 0; i < list->items().size(); ++i) {
    const Value& item = list->items()[i];
    // A null among strings reads as the empty string, as it does in the API server.
    if (item.is_null() || item.is_string() ||
        CheckKind(item, Value::Kind::String, fmt::format("{}[{}]", Path(key), i))) {
      texts.push_back(item.text());
    }
  }
  return texts;
}

Labels FieldReader::LabelMap(std::string_view key) {
  const Value* map = OfKind(key, Value::Kind::Map);
  if (map == nullptr) return {};
  Labels::Entries labels;
  labels.reserve(map->members().size());
  for (const Value::Member& member : map->members()) {
    if (member.value.is_null() || member.value.is_string() ||
        CheckKind(member.value, Value::Kind::String, fmt::format("{}.{}", Path(key), member.key))) {
      labels.emplace_back(member.key, member.value.text());
    }
  }
  return Labels(std::move(labels));
}

void FieldReader::RejectUnknown() {
  for (const Value::Member& member : map_.members()) {
    if (std::ranges::find(known_, member.key) == known_.end()) {
      errors_.Add(Path(member.key), member.key_position, "unknown field");
    }
  }
}

void FieldReader::Fail(std::string_view key, std::string message) {
  const Value* value = map_.Find(key);
  errors_.Add(Path(key), value != nullptr ? value->position() : map_.position(), std::move(message));
}

std::string FieldReader::Path(std::string_view key) const {
  if (path_.empty()) return std::string(key);
  std::string path;
  path.reserve(path_.size() + 1 + key.size());
  return path.append(path_).append(1, '.').append(key);
}

const Value* FieldReader::OfKind(std::string_view key, Value::Kind kind) {
  const Value* value = Raw(key);
  if (value == nullptr || value->kind() == kind) return value;
  CheckKind(*value, kind, Path(key));
  return nullptr;
}

bool FieldReader::CheckKind(const Value& value, Value::Kind kind, const std::string& path) {
  if (value.kind() == kind) return true;
  errors_.Add(path, value.position(), fmt::format("expected {}, found {}", KindName(kind), KindName(value.kind())));
  return false;
}

}  // namespace berth::api
