// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <memory>
#include <string>

namespace berth::net {

// Whom a client trusts, and how it shows who it is. Everything in PEM.
struct TlsOptions {
  std::string ca = {};           // empty: the system's authorities
  std::string certificate = {};  // the client's own, with its chain; empty: none
  std::string key = {};
  std::string server_name = {};  // expected in the server's certificate; empty: the host that is connected to
  bool skip_verification = false;
};

// TLS as set up once for many connections. HTTP/2 is offered, then HTTP/1.1. Immutable.
class TlsClientContext {
 public:
  // The error names the option that cannot be used.
  static Result<std::shared_ptr<const TlsClientContext>> Make(const TlsOptions& options);
  ~TlsClientContext();

  class Impl;  // the library's context, for the files of this folder
  const Impl& impl() const { return *impl_; }

 private:
  explicit TlsClientContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::net
