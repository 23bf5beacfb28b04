// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::remote {

// Where a plugin listens: unix:///run/x.sock, tcp://host:port or tls://host:port.
struct Endpoint {
  enum class Scheme : uint8_t { Unix, Tcp, Tls };
  Scheme scheme = Scheme::Unix;
  std::string path;  // of a unix socket
  std::string host;  // without brackets
  uint16_t port = 0;
};

Result<Endpoint> ParseEndpoint(std::string_view text);

}  // namespace berth::remote
