// SPDX-License-Identifier: Apache-2.0
#include "log/record.h"

#include <array>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

namespace berth::log {
namespace {

// The length in bytes of the first character; 0 when it is not valid UTF-8.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 && first < 0xf5   ? 4
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xc2 && first < 0xe0 ? 2
                                                        : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool beyond = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  return overlong || beyond ? 0 : length;
}

void AppendString(std::string& line, std::string_view text) {
  line += '"';
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length == 0) {
      line += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      line += '\\';
      line += text.front();
    } else if (c == '\n') {
      line += "\\n";
    } else if (c < 0x20) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", c);
    } else {
      line += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  line += '"';
}

void AppendName(std::string& line, ObjectName object) {
  line += "{\"name\":";
  AppendString(line, object.name);
  if (!object.ns.empty()) {
    line += ",\"namespace\":";
    AppendString(line, object.ns);
  }
  line += '}';
}

void AppendJson(std::string& line, const Value& value) {
  std::visit(
      [&](const auto& held) {
        using Type = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Type, std::string_view>) {
          AppendString(line, held);
        } else if constexpr (std::is_same_v<Type, ObjectName>) {
          AppendName(line, held);
        } else if constexpr (std::is_same_v<Type, double>) {
          line += std::isfinite(held) ? fmt::format("{}", held) : fmt::format("\"{}\"", held);
        } else {
          fmt::format_to(std::back_inserter(line), "{}", held);
        }
      },
      value.held());
}

}  // namespace

std::string JsonLine(const Record& record) {
  constexpr std::array<std::string_view, 3> kSeverities = {"info", "warning", "error"};
  const int64_t micros = std::chrono::floor<std::chrono::microseconds>(record.time.time_since_epoch()).count();
  std::string line = fmt::format("{{\"ts\":{}.{:03},\"severity\":\"{}\"", micros / 1000, micros % 1000,
                                 kSeverities[static_cast<size_t>(record.severity)]);
  if (record.severity == Severity::Info) fmt::format_to(std::back_inserter(line), ",\"v\":{}", record.verbosity);
  line += ",\"logger\":";
  AppendString(line, record.module);
  line += ",\"msg\":";
  AppendString(line, record.message);
  for (const Field& field : record.fields) {
    line += ',';
    AppendString(line, field.key);
    line += ':';
    AppendJson(line, field.value);
  }
  line += '}';
  return line;
}

}  // namespace berth::log
