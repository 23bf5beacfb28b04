// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/peer_certificates.h"
#include "net/tls.h"
#include "net/tls_server.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace berth::remote {

// The method of the contract, as gRPC addresses it.
inline constexpr const char* kSessionMethod = "/berth.plugin.v1.SchedulerPlugin/Session";

// Where a plugin listens: "unix:///run/plugin.sock", "tcp://127.0.0.1:7000", "tls://plugin.example.com:7000".
struct Address {
  enum class Kind : uint8_t { Unix, Tcp, Tls };
  Kind kind = Kind::Unix;
  std::string path = {};  // of a unix socket
  std::string host = {};  // without brackets
  uint16_t port = 0;

  // The error quotes the text.
  static Result<Address> Parse(std::string_view text);
  std::string Text() const;
  // Whether only processes of this machine are at the other end.
  bool is_local() const;
};

// Files in PEM for endpoints with TLS; an empty name: there is none.
struct TlsFiles {
  std::string ca_file = {};    // at a scheduler: who certifies the plugin; at a plugin: who certifies schedulers
  std::string cert_file = {};  // ours
  std::string key_file = {};
  std::string server_name = {};  // at a scheduler: expected in the plugin's certificate, instead of the host

  bool empty() const { return ca_file.empty() && cert_file.empty() && key_file.empty() && server_name.empty(); }
  bool operator==(const TlsFiles&) const = default;
};

// The errors name the file.
Result<std::shared_ptr<const net::TlsClientContext>> ClientTls(const TlsFiles& files);

struct ServerTls {
  std::shared_ptr<const net::TlsServerContext> context;
  std::shared_ptr<const net::CertificatePool> clients;  // null: clients need no certificate
};
Result<ServerTls> ServerTlsOf(const TlsFiles& files);

}  // namespace berth::remote
