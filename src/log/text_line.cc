// SPDX-License-Identifier: Apache-2.0
#include "log/record.h"

#include <array>
#include <chrono>
#include <type_traits>

#include <fmt/format.h>

namespace berth::log {
namespace {

void AppendQuoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    switch (c) {
      case '"': line += "\\\""; break;
      case '\\': line += "\\\\"; break;
      case '\n': line += "\\n"; break;
      case '\r': line += "\\r"; break;
      case '\t': line += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          line += c;
        }
    }
  }
  line += '"';
}

void AppendValue(std::string& line, const Value& value) {
  std::visit(
      [&](const auto& held) {
        using Type = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Type, std::string_view>) {
          AppendQuoted(line, held);
        } else if constexpr (std::is_same_v<Type, ObjectName>) {
          AppendQuoted(line, held.ns.empty() ? std::string(held.name) : fmt::format("{}/{}", held.ns, held.name));
        } else {
          fmt::format_to(std::back_inserter(line), "{}", held);
        }
      },
      value.held());
}

void AppendFields(std::string& line, Fields fields) {
  for (const Field& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    AppendValue(line, field.value);
  }
}

}  // namespace

std::string MessageText(std::string_view message, Fields fields) {
  std::string text(message);
  AppendFields(text, fields);
  return text;
}

std::string TextLine(const Record& record) {
  constexpr std::array kLetters = {'I', 'W', 'E'};
  const auto day = std::chrono::floor<std::chrono::days>(record.time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::microseconds>(record.time - day));
  std::string line = fmt::format("{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:7} {}] ",
                                 kLetters[static_cast<size_t>(record.severity)], static_cast<unsigned>(date.month()),
                                 static_cast<unsigned>(date.day()), time.hours().count(), time.minutes().count(),
                                 time.seconds().count(), time.subseconds().count(), record.process, record.module);
  AppendQuoted(line, record.message);
  AppendFields(line, record.fields);
  return line;
}

}  // namespace berth::log
