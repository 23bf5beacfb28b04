// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/access/server_address.h"
#include "kube/access/surroundings.h"
#include "kube/access/url.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

// A proxy on the way to a server: one that speaks SOCKS 5, or HTTP, which is asked to CONNECT.
struct Proxy {
  bool is_socks = false;
  std::string host = {};  // without brackets
  uint16_t port = 0;
  std::optional<Url::User> user = {};  // who we are there
};

// Reads a proxy-url. The error, of a proxy that is reached by https for one, does not name the field.
Result<Proxy> ParseProxy(std::string_view url);

// The proxy that HTTPS_PROXY or HTTP_PROXY, by the server's scheme, and NO_PROXY mean for this server, by Go's rules
// (also in lower case): none for localhost and loopback addresses, and none when the variable cannot be read as a URL.
Result<std::optional<Proxy>> ProxyFromEnvironment(const ServerAddress& server, const Surroundings& surroundings);

}  // namespace berth::kube
