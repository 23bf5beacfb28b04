// SPDX-License-Identifier: Apache-2.0
#include "kube/access/impersonation.h"

#include <string_view>

#include <fmt/format.h>

namespace berth::kube {
namespace {

std::string HeaderNamePart(std::string_view key) {
  constexpr std::string_view kPlain = "!#$&'*+-.^_`|~";  // token characters of RFC 7230 but for the percent sign
  std::string name;
  for (const char c : key) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos) {
      name += c;
    } else if (c >= 'A' && c <= 'Z') {
      name += static_cast<char>(c - 'A' + 'a');
    } else {
      name += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return name;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ImpersonationHeaders(const Impersonated& whom) {
  std::vector<std::pair<std::string, std::string>> headers;
  headers.emplace_back("impersonate-user", whom.user);
  if (!whom.uid.empty()) headers.emplace_back("impersonate-uid", whom.uid);
  for (const std::string& group : whom.groups) headers.emplace_back("impersonate-group", group);
  for (const auto& [key, values] : whom.extra) {
    for (const std::string& value : values) headers.emplace_back("impersonate-extra-" + HeaderNamePart(key), value);
  }
  return headers;
}

}  // namespace berth::kube
