// SPDX-License-Identifier: Apache-2.0
#include "config/fields/field_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::config {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string InvalidRaw(std::string_view path, std::string_view value, std::string_view why) {
  return fmt::format("{}: Invalid value: {}: {}", path, value, why);
}

std::string Invalid(std::string_view path, int64_t value, std::string_view why) {
  return InvalidRaw(path, std::to_string(value), why);
}

std::string Invalid(std::string_view path, std::string_view value, std::string_view why) {
  return InvalidRaw(path, Quoted(value), why);
}

std::string Required(std::string_view path, std::string_view why) {
  return why.empty() ? fmt::format("{}: Required value", path) : fmt::format("{}: Required value: {}", path, why);
}

std::string Duplicate(std::string_view path, std::string_view value) {
  return fmt::format("{}: Duplicate value: {}", path, Quoted(value));
}

std::string Forbidden(std::string_view path, std::string_view why) {
  return fmt::format("{}: Forbidden: {}", path, why);
}

std::string Unsupported(std::string_view path, std::string_view value, const std::vector<std::string>& supported) {
  std::vector<std::string> quoted;
  quoted.reserve(supported.size());
  for (const std::string& word : supported) quoted.push_back(Quoted(word));
  return fmt::format("{}: Unsupported value: {}: supported values: {}", path, Quoted(value), fmt::join(quoted, ", "));
}

std::string Child(std::string_view path, std::string_view field) {
  return path.empty() ? std::string(field) : fmt::format("{}.{}", path, field);
}

std::string Index(std::string_view path, size_t index) { return fmt::format("{}[{}]", path, index); }

std::string Joined(const Messages& messages) {
  if (messages.size() == 1) return messages.front();
  return fmt::format("[{}]", fmt::join(messages, ", "));
}

}  // namespace berth::config
