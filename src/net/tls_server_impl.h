// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/pem.h"
#include "net/tls_server.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::net {

// One context of the library for each certificate; which one a connection uses is known when its client has named the
// server.
class TlsServerContext::Impl {
 public:
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // For a server that the client called by this name, or by this address of the machine; never null.
  ssl_ctx_st* ForName(std::string_view name) const;
  ssl_ctx_st* ForAddress(const std::string& address) const;

  std::vector<TlsOwned<ssl_ctx_st>> contexts;                    // the first is for everyone else
  std::map<std::string, ssl_ctx_st*, std::less<>> by_name = {};  // in lower case
};

}  // namespace berth::net
