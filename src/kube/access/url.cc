// SPDX-License-Identifier: Apache-2.0
#include "kube/access/url.h"

#include "config/fields/base64.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Nothing when a percent sign is not followed by two hexadecimal digits.
std::optional<std::string> Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0) return std::nullopt;
    plain += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
    i += 2;
  }
  return plain;
}

// Encodes what may not stand in a path as it is.
std::string EscapePath(std::string_view path) {
  constexpr std::string_view kPlain = "-._~!$&'()*+,;=:@/%";
  std::string escaped;
  for (const char c : path) {
    if (IsLetter(c) || IsDigit(c) || kPlain.find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

// Cuts the scheme off; what follows its colon stays in `rest`.
Result<std::string> TakeScheme(std::string_view& rest) {
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (IsLetter(c) || (i > 0 && (IsDigit(c) || c == '+' || c == '-' || c == '.'))) continue;
    if (c != ':') break;
    if (i == 0) return InvalidError("missing protocol scheme");
    std::string scheme(rest.substr(0, i));
    std::ranges::transform(scheme, scheme.begin(), [](char l) { return l >= 'A' && l <= 'Z' ? l - 'A' + 'a' : l; });
    rest.remove_prefix(i + 1);
    return scheme;
  }
  return std::string();
}

Result<Url::User> ParseUser(std::string_view text) {
  constexpr std::string_view kPlain = "-._:~!$&'()*+,;=%@";
  const bool valid = std::ranges::all_of(
      text, [&](char c) { return IsLetter(c) || IsDigit(c) || kPlain.find(c) != std::string_view::npos; });
  const size_t colon = text.find(':');
  std::optional<std::string> name = Unescape(text.substr(0, colon));
  std::optional<std::string> password = Unescape(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (!valid || !name || !password) return InvalidError("invalid user name or password");
  return Url::User{*std::move(name), *std::move(password)};
}

Result<std::optional<uint16_t>> ParsePort(std::string_view text) {
  if (text.empty() || text == ":") return std::optional<uint16_t>();
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data() + 1, end, port);
  if (text[0] != ':' || failed != std::errc{} || stopped != end) {
    return InvalidError(fmt::format("invalid port \"{}\" after host", text));
  }
  return std::optional(port);
}

Result<void> ParseHost(std::string_view text, Url& url) {
  const size_t opening = text.rfind('[');
  if (opening == 0) {
    const size_t closing = text.rfind(']');
    if (closing == std::string_view::npos) return InvalidError("missing ']' in host");
    url.host = text.substr(1, closing - 1);
    if (const size_t zone = url.host.find('%'); zone != std::string::npos) {
      if (url.host.substr(zone, 3) != "%25") return InvalidError("invalid percent-encoding in host");
      url.host.erase(zone + 1, 2);
    }
    in6_addr address{};
    if (inet_pton(AF_INET6, url.host.substr(0, url.host.find('%')).c_str(), &address) != 1) {
      return InvalidError(fmt::format("\"{}\" is no IPv6 address", url.host));
    }
    BERTH_ASSIGN_OR_RETURN(url.port, ParsePort(text.substr(closing + 1)));
    return {};
  }
  if (opening != std::string_view::npos) return InvalidError("a bracket inside the host");
  const size_t colon = std::min(text.find(':'), text.size());
  url.host = text.substr(0, colon);
  constexpr std::string_view kRefused = " \"<>\\^`{|}%#/?@";
  if (url.host.find_first_of(kRefused) != std::string::npos) {
    return InvalidError(fmt::format("invalid character in host name \"{}\"", url.host));
  }
  BERTH_ASSIGN_OR_RETURN(url.port, ParsePort(text.substr(colon)));
  return {};
}

Result<void> ParseAuthority(std::string_view text, Url& url) {
  const size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    BERTH_ASSIGN_OR_RETURN(url.user, ParseUser(text.substr(0, at)));
    text.remove_prefix(at + 1);
  }
  return ParseHost(text, url);
}

}  // namespace

Result<Url> ParseUrl(std::string_view text) {
  const bool has_control = std::ranges::any_of(text, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
  if (has_control) return InvalidError("invalid control character in URL");
  std::string_view rest = text.substr(0, text.find('#'));
  Url url;
  BERTH_ASSIGN_OR_RETURN(url.scheme, TakeScheme(rest));
  rest = rest.substr(0, rest.find('?'));
  if (!rest.starts_with('/')) {
    if (!url.scheme.empty()) return url;  // "localhost:8080": what looks like a scheme is followed by no host
    if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
      return InvalidError("first path segment in URL cannot contain colon");
    }
  }
  if (rest.starts_with("//") && (!url.scheme.empty() || !rest.starts_with("///"))) {
    const size_t slash = std::min(rest.find('/', 2), rest.size());
    BERTH_RETURN_IF_ERROR(ParseAuthority(rest.substr(2, slash - 2), url));
    rest.remove_prefix(slash);
  }
  if (!Unescape(rest)) return InvalidError("invalid percent-encoding in path");
  url.path = EscapePath(rest);
  return url;
}

std::optional<uint16_t> DefaultPort(std::string_view scheme) {
  if (scheme == "http") return 80;
  if (scheme == "https") return 443;
  if (scheme == "socks5") return 1080;
  return std::nullopt;
}

std::string BasicAuthorization(const Url::User& user) {
  return "Basic " + config::EncodeBase64(user.name + ":" + user.password);
}

std::string WithoutPassword(std::string_view url) {
  const size_t start = url.find("//") == std::string_view::npos ? 0 : url.find("//") + 2;
  const size_t end = url.rfind('@');
  const size_t colon = url.find(':', start);
  if (end == std::string_view::npos || colon == std::string_view::npos || colon > end) return std::string(url);
  return fmt::format("{}:***{}", url.substr(0, colon), url.substr(end));
}

std::string HostPort(std::string_view host, uint16_t port) {
  if (host.find(':') == std::string_view::npos) return fmt::format("{}:{}", host, port);
  const size_t zone = host.find('%');
  if (zone == std::string_view::npos) return fmt::format("[{}]:{}", host, port);
  return fmt::format("[{}%25{}]:{}", host.substr(0, zone), host.substr(zone + 1), port);
}

}  // namespace berth::kube
