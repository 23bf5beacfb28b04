// SPDX-License-Identifier: Apache-2.0
#include "kube/access/no_proxy.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <optional>
#include <string>

namespace berth::kube {
namespace {

// An IPv4 address, also when it is written as IPv6, or an IPv6 address.
struct Address {
  std::array<unsigned char, 16> bytes{};
  size_t size = 0;  // 4 or 16

  bool operator==(const Address&) const = default;
};

std::optional<Address> ParseAddress(const std::string& text) {
  Address address;
  if (inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1) {
    address.size = 4;
    return address;
  }
  if (inet_pton(AF_INET6, text.c_str(), address.bytes.data()) != 1) return std::nullopt;
  address.size = 16;
  constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin())) {
    Address inner;
    std::copy_n(address.bytes.begin() + 12, 4, inner.bytes.begin());
    inner.size = 4;
    return inner;
  }
  return address;
}

bool IsLoopback(const Address& address) {
  if (address.size == 4) return address.bytes[0] == 127;
  Address one;
  one.size = 16;
  one.bytes[15] = 1;
  return address == one;
}

// "10.0.0.0/8"; nothing when the entry is no range, otherwise whether it contains the address.
std::optional<bool> RangeContains(std::string_view entry, const std::optional<Address>& address) {
  const size_t slash = entry.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<Address> base = ParseAddress(std::string(entry.substr(0, slash)));
  size_t bits = 0;
  const char* end = entry.data() + entry.size();
  const auto [stopped, failed] = std::from_chars(entry.data() + slash + 1, end, bits);
  if (!base || failed != std::errc{} || stopped != end || bits > base->size * 8) return std::nullopt;
  if (!address || address->size != base->size) return false;
  for (size_t bit = 0; bit < bits; ++bit) {
    const auto at = [&](const Address& of) { return (of.bytes[bit / 8] >> (7 - bit % 8)) & 1; };
    if (at(*base) != at(*address)) return false;
  }
  return true;
}

struct Target {
  std::string host;  // in lower case
  std::string port;
  std::optional<Address> address;
};

// One entry without its blanks, in lower case.
bool EntryMatches(std::string_view entry, const Target& target) {
  if (const std::optional<bool> contains = RangeContains(entry, target.address)) return *contains;
  std::string host(entry);
  std::string port;
  const size_t colon = entry.rfind(':');
  const bool bracketed = entry.starts_with('[') && colon != std::string_view::npos && entry[colon - 1] == ']';
  if (bracketed || (colon != std::string_view::npos && entry.find(':') == colon)) {
    host = bracketed ? entry.substr(1, colon - 2) : entry.substr(0, colon);
    port = entry.substr(colon + 1);
  }
  if (host.empty() || (!port.empty() && port != target.port)) return false;
  if (const std::optional<Address> address = ParseAddress(host)) return target.address == address;
  if (target.address) return false;
  if (host.starts_with("*.")) host.erase(0, 1);
  if (host.starts_with('.')) return target.host.ends_with(host);
  return target.host == host || target.host.ends_with("." + host);
}

std::string Lowered(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return lowered;
}

}  // namespace

bool BypassesProxy(const ServerAddress& server, std::string_view list) {
  if (server.host == "localhost") return true;
  const std::string host = Lowered(server.host);
  const Target target{host, std::to_string(server.port), ParseAddress(host.substr(0, host.find('%')))};
  if (target.address && IsLoopback(*target.address)) return true;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string_view entry = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    constexpr std::string_view kBlanks = " \t\r\n";
    entry.remove_prefix(std::min(entry.find_first_not_of(kBlanks), entry.size()));
    entry = entry.substr(0, entry.find_last_not_of(kBlanks) + 1);
    if (entry == "*" || (!entry.empty() && EntryMatches(Lowered(entry), target))) return true;
  }
  return false;
}

}  // namespace berth::kube
