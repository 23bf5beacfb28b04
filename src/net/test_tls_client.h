// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/test_certificates.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace berth::net {

struct TestTlsClientOptions {
  uint16_t port = 0;
  std::string server_name = {};  // asked for by SNI; empty: nothing is asked for
  std::optional<CertifiedKey> certificate = {};
  std::vector<std::string> protocols = {"http/1.1"};
  int max_version = 0;       // as OpenSSL numbers them; 0: any
  std::string ciphers = {};  // OpenSSL's names; empty: any
};

// A client that speaks TLS to a port of this machine, in blocking calls, and trusts everyone. What it sends is up to
// the test. Every wait is up to a minute.
class TestTlsClient {
 public:
  explicit TestTlsClient(const TestTlsClientOptions& options);
  ~TestTlsClient();
  TestTlsClient(const TestTlsClient&) = delete;
  TestTlsClient& operator=(const TestTlsClient&) = delete;

  bool connected() const { return connected_; }  // the handshake succeeded
  std::string protocol() const;
  std::string version() const;
  std::string server_names() const;                   // in the server's certificate: "DNS:a, IP Address:127.0.0.1"
  std::vector<std::string> told_authorities() const;  // common names that the server asked certificates of

  void Send(const std::string& bytes);
  // A whole HTTP/1.1 response with a content-length, or what came before the server closed.
  std::string ReadResponse();
  // Until the server has closed the connection: the rest of what it sent.
  std::string ReadToEnd();
  // One request after the other on the same connection.
  std::string Get(const std::string& target);

 private:
  bool ReadMore();

  ssl_ctx_st* context_;
  ssl_st* ssl_;
  int descriptor_;
  bool connected_ = false;
  std::string received_;
};

// What a server answers to bytes in clear text, until it closes.
std::string AnswerToClearText(uint16_t port, const std::string& bytes);

}  // namespace berth::net
