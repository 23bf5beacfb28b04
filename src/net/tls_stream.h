// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/peer_certificates.h"
#include "net/tls.h"
#include "net/tls_server.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct x509_store_ctx_st;

namespace berth::net {

// One TLS connection, of a client or at a server, without a socket: bytes from the network in, bytes for the network
// out. One thread.
class TlsStream {
 public:
  // `host` is a name or an address: what the server's certificate must be for, unless the context names another.
  static Result<std::unique_ptr<TlsStream>> Make(const TlsClientContext& context, const std::string& host);
  // At a server; `address` is the one of this machine that the client has connected to.
  static Result<std::unique_ptr<TlsStream>> MakeServer(std::shared_ptr<const TlsServerContext> context,
                                                       const std::string& address);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Takes bytes from the network.
  void Feed(std::string_view bytes);
  // Moves bytes for the network to the end of `out`.
  void Produce(std::string& out);

  // Goes on with the handshake; true when it is over. The error says in words why the server is not trusted.
  Result<bool> Handshake();
  // After the handshake at a server: what the client has shown; null when it has shown nothing.
  std::shared_ptr<const PeerCertificates> PeerShown() const { return PeerCertificates::Of(ssl_); }
  // The protocol both sides agreed on by ALPN; empty: none.
  std::string_view protocol() const;

  // After the handshake. Decrypts up to `size` bytes; 0: the rest must be fed first, or the other side has closed.
  Result<size_t> Read(char* buffer, size_t size);
  bool closed() const { return closed_; }
  Result<void> Write(std::string_view plain);
  // Says to the other side that nothing more will be written.
  void Close();

 private:
  TlsStream(ssl_st* ssl, std::string expected_name) : ssl_(ssl), expected_name_(std::move(expected_name)) {}
  Result<void> Connect();
  static int Verified(int accepted, x509_store_ctx_st* verification);

  std::shared_ptr<const TlsServerContext> server_;  // null at a client
  ssl_st* ssl_;
  std::string expected_name_;
  std::string distrust_;  // why the server's certificate was refused; empty: it was not
  bool closed_ = false;
};

}  // namespace berth::net
