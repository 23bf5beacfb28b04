// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

// The parts of a URL that an address needs, as Go's net/url splits them. Query and fragment are dropped.
struct Url {
  struct User {
    std::string name;
    std::string password;
  };
  std::string scheme = {};  // in lower case; empty when there is none
  std::optional<User> user = {};
  std::string host = {};  // without brackets; an IPv6 zone follows "%"
  std::optional<uint16_t> port = {};
  std::string path = {};  // percent-encoded

  bool has_host() const { return !host.empty() || port.has_value(); }
};

// The error says what is wrong without repeating the text.
Result<Url> ParseUrl(std::string_view text);

// Of http, https and socks5; nothing for others.
std::optional<uint16_t> DefaultPort(std::string_view scheme);

// "Basic …", the value of an Authorization or Proxy-Authorization header.
std::string BasicAuthorization(const Url::User& user);

// The URL with its password hidden, for messages.
std::string WithoutPassword(std::string_view url);

// "host:port" as in a URL, with an IPv6 address in brackets.
std::string HostPort(std::string_view host, uint16_t port);

}  // namespace berth::kube
