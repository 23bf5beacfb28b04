// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace berth::net {

// A certificate with its chain, and its key. PEM.
struct ServerKeyPair {
  std::string certificate = {};
  std::string key = {};
  // For which servers it stands: "a.example.com", "*.example.com", or an address of this machine. Empty: those that the
  // certificate names.
  std::vector<std::string> names = {};

  bool operator==(const ServerKeyPair&) const = default;
};

// How a server shows itself, and what it asks of its clients.
struct TlsServerOptions {
  ServerKeyPair identity = {};             // for clients that ask for none of the others; its names are not used
  std::vector<ServerKeyPair> others = {};  // earlier ones win, and names given win over names found
  // Clients may show a certificate. It is not judged in the handshake: whoever handles the request does that.
  bool asks_for_certificate = false;
  std::string client_ca = {};  // authorities that clients are told of, so that they pick a fitting one; PEM
  bool offers_http2 = true;
  std::string min_version = {};                 // Go's name: "VersionTLS12"
  std::vector<std::string> cipher_suites = {};  // Go's names; empty: Go's choice
  std::vector<int32_t> curves = {};             // Go's CurveIDs; empty: OpenSSL's choice

  bool operator==(const TlsServerOptions&) const = default;
};

// TLS of a server as set up once for many connections. Immutable.
class TlsServerContext {
 public:
  // The error names what cannot be used.
  static Result<std::shared_ptr<const TlsServerContext>> Make(const TlsServerOptions& options);
  ~TlsServerContext();

  // What was left out or is unwise, for the log.
  const std::vector<std::string>& warnings() const { return warnings_; }

  class Impl;  // the library's contexts, for the files of this folder
  const Impl& impl() const { return *impl_; }

 private:
  TlsServerContext(std::unique_ptr<Impl> impl, std::vector<std::string> warnings);
  std::unique_ptr<Impl> impl_;
  std::vector<std::string> warnings_;
};

}  // namespace berth::net
