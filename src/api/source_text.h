// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::api {

// Turns rising offsets into a text into lines and columns; columns count bytes.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  // `offset` must not lie before the one asked for last.
  Position At(size_t offset);

 private:
  std::string_view text_;
  size_t seen_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

// "source:line:column: message".
Error ErrorAt(std::string_view source, Position at, std::string_view message);

// Fails on NUL bytes and on bytes that are not UTF-8, naming the first.
Result<void> CheckText(std::string_view text, std::string_view source);
// The text with U+FFFD for every byte that is not part of UTF-8, as Go writes strings into JSON.
std::string RepairedText(std::string_view text);

// The first member whose key an earlier member has already, or null.
const Value::Member* FindDuplicateKey(const Value::Members& members);
// What is said about it.
std::string DuplicateKeyMessage(std::string_view key);

}  // namespace berth::api
