// SPDX-License-Identifier: Apache-2.0
#include "api/label_syntax.h"

#include <algorithm>
#include <charconv>

namespace berth::api {
namespace {

constexpr size_t kMaxNameLength = 63;
constexpr size_t kMaxPrefixLength = 253;

bool IsLower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlnum(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }
bool IsNameChar(char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; }

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameLength && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         std::ranges::all_of(text, IsNameChar);
}

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && IsLower(text.front()) && IsLower(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsLower(c) || c == '-'; });
}

bool IsDnsSubdomain(std::string_view text) {
  if (text.size() > kMaxPrefixLength) return false;
  for (;;) {
    const size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool IsLabelKey(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsName(text);
  return IsDnsSubdomain(text.substr(0, slash)) && IsName(text.substr(slash + 1));
}

bool IsLabelValue(std::string_view text) { return text.empty() || IsName(text); }

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;  // from_chars would take the second sign
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace berth::api
