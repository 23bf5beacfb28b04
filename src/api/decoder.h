// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/quantity.h"
#include "api/value.h"
#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {

// One thing wrong with a document.
struct DecodeError {
  std::string path;  // as in "spec.containers[0].resources.requests.cpu"
  Position position;
  std::string message;
};

// Collects what is wrong while a document is read, so that one run reports all of it.
class DecodeErrors {
 public:
  void Add(std::string path, Position position, std::string message) {
    errors_.push_back({std::move(path), position, std::move(message)});
  }
  bool empty() const { return errors_.empty(); }
  const std::vector<DecodeError>& errors() const { return errors_; }
  // One line each: "source:line:column: path: message".
  std::string Text(std::string_view source) const;

 private:
  std::vector<DecodeError> errors_;
};

// Reads the fields of one map with their types checked. A missing or null field reads as nothing;
// a field of the wrong type is noted and reads as nothing. Fields nobody asks for are ignored,
// unless the reader calls RejectUnknown at the end.
class FieldReader {
 public:
  FieldReader(const Value& map, std::string path, DecodeErrors& errors);

  const Value* Raw(std::string_view key);  // null when missing or null
  std::string String(std::string_view key, std::string_view fallback = {});
  std::optional<std::string> OptionalString(std::string_view key);
  bool Bool(std::string_view key, bool fallback = false);
  std::optional<bool> OptionalBool(std::string_view key);
  std::optional<int32_t> Int32(std::string_view key);
  std::optional<int64_t> Int64(std::string_view key);
  std::optional<Timestamp> Time(std::string_view key);  // RFC 3339
  std::optional<Quantity> QuantityAt(std::string_view key);
  std::vector<std::string> Strings(std::string_view key);
  Labels LabelMap(std::string_view key);

  // Calls f(FieldReader&) when the field is a map; says whether it was.
  template <typename F>
  bool Map(std::string_view key, F&& f) {
    const Value* value = OfKind(key, Value::Kind::Map);
    if (value == nullptr) return false;
    FieldReader reader(*value, Path(key), errors_);
    std::forward<F>(f)(reader);
    return true;
  }

  // Calls f(FieldReader&) for every element of a list of maps.
  template <typename F>
  void ForEach(std::string_view key, F&& f) {
    const Value* list = OfKind(key, Value::Kind::List);
    if (list == nullptr) return;
    for (size_t i = 0; i < list->items().size(); ++i) {
      const std::string path = Path(key) + "[" + std::to_string(i) + "]";
      if (!CheckKind(list->items()[i], Value::Kind::Map, path)) continue;
      FieldReader reader(list->items()[i], path, errors_);
      f(reader);
    }
  }

  // Notes every field that was not asked for: strict decoding.
  void RejectUnknown();

  void Fail(std::string_view key, std::string message);
  const std::string& path() const { return path_; }
  std::string Path(std::string_view key) const;
  const Value& value() const { return map_; }
  DecodeErrors& errors() { return errors_; }

 private:
  const Value* OfKind(std::string_view key, Value::Kind kind);
  bool CheckKind(const Value& value, Value::Kind kind, const std::string& path);

  const Value& map_;
  std::string path_;
  DecodeErrors& errors_;
  std::vector<std::string_view> known_;
};

}  // namespace berth::api
