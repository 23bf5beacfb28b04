// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/access/url.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

// Where an API server listens.
struct ServerAddress {
  bool tls = false;
  std::string host = {};  // a name or an address, without brackets
  uint16_t port = 0;
  bool names_port = true;       // it was given, not left to the scheme
  bool http2_in_clear = false;  // without TLS, the server is known to speak HTTP/2; no address says so
  // Comes before the path of each request: empty, or "/a/b" without a slash at its end.
  std::string path_prefix = {};
  // What the URL itself says of the user; sent when there is no other Authorization.
  std::optional<Url::User> user = {};

  std::string Text() const;  // "https://host:6443/prefix"
  // As the address was written: "host", or "host:6443".
  std::string Authority() const;
};

// Reads the server of a kubeconfig, or a --master: a URL, or "host" or "host:port", which means http.
Result<ServerAddress> ParseServerAddress(std::string_view text);

}  // namespace berth::kube
