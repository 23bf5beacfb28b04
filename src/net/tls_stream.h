// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/tls.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct x509_store_ctx_st;

namespace berth::net {

// One TLS connection of a client, without a socket: bytes from the network in, bytes for the network out. One thread.
class TlsStream {
 public:
  // `host` is a name or an address: what the server's certificate must be for, unless the context names another.
  static Result<std::unique_ptr<TlsStream>> Make(const TlsClientContext& context, const std::string& host);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Takes bytes from the network.
  void Feed(std::string_view bytes);
  // Moves bytes for the network to the end of `out`.
  void Produce(std::string& out);

  // Goes on with the handshake; true when it is over. The error says in words why the server is not trusted.
  Result<bool> Handshake();
  // The protocol both sides agreed on by ALPN; empty: none.
  std::string_view protocol() const;

  // After the handshake. Decrypts up to `size` bytes; 0: the rest must be fed first, or the server has closed.
  Result<size_t> Read(char* buffer, size_t size);
  bool closed() const { return closed_; }
  Result<void> Write(std::string_view plain);

 private:
  TlsStream(ssl_st* ssl, std::string expected_name) : ssl_(ssl), expected_name_(std::move(expected_name)) {}
  static int Verified(int accepted, x509_store_ctx_st* verification);

  ssl_st* ssl_;
  std::string expected_name_;
  std::string distrust_;  // why the server's certificate was refused; empty: it was not
  bool closed_ = false;
};

}  // namespace berth::net
