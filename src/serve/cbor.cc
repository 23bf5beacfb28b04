// SPDX-License-Identifier: Apache-2.0
#include "serve/cbor.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace berth::serve {
namespace {

enum class Major : uint8_t { Unsigned = 0, Negative = 1, Bytes = 2, Array = 4, Map = 5 };

void WriteHead(std::string& out, Major major, uint64_t number) {
  const auto type = static_cast<unsigned>(major) << 5U;
  if (number < 24) {
    out += static_cast<char>(type | number);
    return;
  }
  const unsigned size = number <= UINT8_MAX ? 0 : number <= UINT16_MAX ? 1 : number <= UINT32_MAX ? 2 : 3;
  out += static_cast<char>(type | (24U + size));
  for (int shift = (8 << size) - 8; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

void WriteText(std::string& out, const std::string& text) {
  WriteHead(out, Major::Bytes, text.size());
  out += text;
}

std::optional<int64_t> WholeNumber(const std::string& spelling) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), number);
  if (problem != std::errc() || end != spelling.data() + spelling.size()) return std::nullopt;
  return number;
}

void WriteValue(std::string& out, const api::Value& value) {
  switch (value.kind()) {
    case api::Value::Kind::Null: out += '\xf6'; return;
    case api::Value::Kind::Bool: out += value.bool_value() ? '\xf5' : '\xf4'; return;
    case api::Value::Kind::Int:
      if (const auto number = WholeNumber(value.text())) {
        // A negative number n is written as -1 - n.
        WriteHead(out, *number < 0 ? Major::Negative : Major::Unsigned,
                  static_cast<uint64_t>(*number < 0 ? -1 - *number : *number));
        return;
      }
      [[fallthrough]];
    case api::Value::Kind::Float:
    case api::Value::Kind::String: return WriteText(out, value.text());
    case api::Value::Kind::List:
      WriteHead(out, Major::Array, value.items().size());
      for (const api::Value& item : value.items()) WriteValue(out, item);
      return;
    case api::Value::Kind::Map:
      WriteHead(out, Major::Map, value.members().size());
      for (const auto& member : value.members()) {
        WriteText(out, member.key);
        WriteValue(out, member.value);
      }
      return;
  }
}

}  // namespace

std::string ToCbor(const api::Value& value) {
  std::string out = "\xd9\xd9\xf7";  // the tag that says: this is CBOR
  WriteValue(out, value);
  return out;
}

}  // namespace berth::serve
