// SPDX-License-Identifier: Apache-2.0
#include "config/fields/qualified_name.h"

#include <algorithm>

namespace berth::config {
namespace {

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kPrefixRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr size_t kMaxName = 63;
constexpr size_t kMaxPrefix = 253;

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlphanumeric(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

bool IsName(std::string_view name) {
  const auto inner = [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && IsAlphanumeric(name.front()) && IsAlphanumeric(name.back()) &&
         std::ranges::all_of(name, inner);
}

bool IsDnsLabel(std::string_view label) {
  const auto inner = [](char c) { return IsLowerOrDigit(c) || c == '-'; };
  return !label.empty() && IsLowerOrDigit(label.front()) && IsLowerOrDigit(label.back()) &&
         std::ranges::all_of(label, inner);
}

bool IsSubdomain(std::string_view text) {
  for (;;) {
    const size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string Text(std::string_view part, std::string_view rule) { return std::string(part).append(rule); }

}  // namespace

std::vector<std::string> QualifiedNameProblems(std::string_view name) {
  std::vector<std::string> problems;
  const size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {Text("a valid label key ", kNameRule) +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) {
      problems.emplace_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > kMaxPrefix) problems.emplace_back("prefix part must be no more than 253 bytes");
      if (!IsSubdomain(prefix)) problems.push_back(Text("prefix part ", kPrefixRule));
    }
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxName) {
    problems.emplace_back("name part must be no more than 63 bytes");
  }
  if (!IsName(name)) problems.push_back(Text("name part ", kNameRule));
  return problems;
}

bool IsExtendedResourceName(std::string_view name) {
  constexpr std::string_view kQuotaPrefix = "requests.";
  const bool is_native =
      name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
  if (is_native || name.starts_with(kQuotaPrefix)) return false;
  // It must still be a valid name with the prefix that resource quotas add.
  return QualifiedNameProblems(Text(kQuotaPrefix, name)).empty();
}

}  // namespace berth::config
