// SPDX-License-Identifier: Apache-2.0
#include "net/request_target.h"

#include <algorithm>

namespace berth::net {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Cuts "https://host" off; false: this is neither that nor a path.
bool CutOrigin(std::string_view& target) {
  if (target.starts_with('/')) return true;
  const size_t scheme = target.find("://");
  if (scheme == 0 || scheme == std::string_view::npos || scheme > target.find_first_of("/?#")) return false;
  target.remove_prefix(scheme + 3);
  target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
  return true;
}

}  // namespace

std::optional<std::string> PercentDecoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return decoded;
}

std::optional<RequestTarget> ParseTarget(std::string_view target) {
  if (target.empty() || std::any_of(target.begin(), target.end(), IsControl)) return std::nullopt;
  if (target == "*") return RequestTarget{.path = "*"};
  if (!CutOrigin(target)) return std::nullopt;
  const size_t mark = target.find('?');
  std::optional<std::string> path = PercentDecoded(target.substr(0, mark));
  if (!path.has_value()) return std::nullopt;
  RequestTarget parsed{.path = std::move(*path)};
  if (mark != std::string_view::npos) parsed.query = target.substr(mark + 1);
  return parsed;
}

std::vector<std::pair<std::string, std::string>> QueryParameters(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    if (part.empty() || part.find(';') != std::string_view::npos) continue;
    const size_t equals = part.find('=');
    std::optional<std::string> key = PercentDecoded(part.substr(0, equals), true);
    std::optional<std::string> value =
        PercentDecoded(equals == std::string_view::npos ? "" : part.substr(equals + 1), true);
    if (key.has_value() && value.has_value()) parameters.emplace_back(std::move(*key), std::move(*value));
  }
  return parameters;
}

}  // namespace berth::net
