// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "log/logger.h"
#include "net/grpc_session.h"
#include "net/grpc_stream.h"
#include "net/loop.h"
#include "net/peer_certificates.h"
#include "net/tcp_listener.h"
#include "net/tls_server.h"
#include "net/unix_socket.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

namespace berth::net {

struct GrpcServerOptions {
  std::string path = {};  // of its one method: "/package.Service/Method"
  GrpcLimits limits = {};
  size_t max_connections = 100;
  std::shared_ptr<const TlsServerContext> tls = {};     // null: in clear text; never used at a unix socket
  std::shared_ptr<const CertificatePool> clients = {};  // who may call; null: anyone
};

// Serves calls of one method, each of which is a stream. On the loop, but for construction and Listen; destroyed when
// the loop has stopped, or on it.
class GrpcServer {
 public:
  // Called on the loop for each call, with its stream; null refuses the call, for want of room.
  using Opened = std::function<std::shared_ptr<GrpcStreamEvents>(GrpcStream)>;
  // The loop outlives this.
  GrpcServer(Loop& loop, GrpcServerOptions options, Opened opened, log::Logger log = {});
  // Closes everything at once.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // One of the two, before Start.
  Result<void> ListenUnix(const std::string& path);
  Result<void> ListenTcp(const ListenOptions& options);
  uint16_t port() const { return tcp_->port(); }
  void Start();

  // Takes no more connections; ends all streams, and tells the clients why.
  void Stop(const std::string& why);

  size_t connections() const { return connections_.size(); }

 private:
  void Accept(int descriptor, const std::string& remote, const std::string& local_address);

  Loop& loop_;
  const GrpcServerOptions options_;
  const Opened opened_;
  const log::Logger log_;
  std::unique_ptr<UnixListener> unix_;
  std::unique_ptr<TcpListener> tcp_;
  std::unordered_set<std::shared_ptr<GrpcConnection>> connections_;
};

}  // namespace berth::net
