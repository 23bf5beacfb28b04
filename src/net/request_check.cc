// SPDX-License-Identifier: Apache-2.0
#include "net/request_check.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace berth::net {
namespace {

bool IsControlCharacter(char c) { return (c >= 0 && c < ' ') || c == 0x7f; }

// A token of RFC 9110.
bool IsToken(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool IsHeaderValue(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return IsControlCharacter(c) && c != '\t'; });
}

bool IsTarget(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) { return IsControlCharacter(c) || c == ' '; });
}

Error CannotBeSent(const std::string& why) { return InvalidError("the request cannot be sent: " + why); }

}  // namespace

Result<void> CheckRequest(const Request& request) {
  if (!IsToken(request.method)) return CannotBeSent("its method is no token");
  if (!IsTarget(request.path)) return CannotBeSent("its path is empty, or has a blank or a control character");
  for (const auto& [name, value] : request.headers) {
    if (!IsToken(name)) return CannotBeSent("the name of a header is no token");
    if (!IsHeaderValue(value)) return CannotBeSent(fmt::format("the header {} has a control character", name));
  }
  return {};
}

}  // namespace berth::net
