// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/access/server_address.h"
#include "kube/access/surroundings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

// An HTTP proxy that is asked to CONNECT.
struct Proxy {
  std::string host = {};  // without brackets
  uint16_t port = 0;
  std::string authorization = {};  // value of the Proxy-Authorization header; empty: none
};

// Reads a proxy-url. Only http proxies are supported; the error says so of others, without naming the field.
Result<Proxy> ParseProxy(std::string_view url);

// The proxy that HTTPS_PROXY or HTTP_PROXY, by the server's scheme, and NO_PROXY mean for this server, by Go's rules
// (also in lower case): none for localhost and loopback addresses, and none when the variable cannot be read as a URL.
Result<std::optional<Proxy>> ProxyFromEnvironment(const ServerAddress& server, const Surroundings& surroundings);

}  // namespace berth::kube
