// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_server.h"

#include "net/grpc_connection.h"

#include <unistd.h>
#include <utility>

namespace berth::net {

GrpcServer::GrpcServer(Loop& loop, GrpcServerOptions options, Opened opened, log::Logger log)
    : loop_(loop), options_(std::move(options)), opened_(std::move(opened)), log_(std::move(log)) {}

GrpcServer::~GrpcServer() { Stop("the server is closed"); }

Result<void> GrpcServer::ListenUnix(const std::string& path) {
  BERTH_ASSIGN_OR_RETURN(unix_, UnixListener::Make(loop_, path));
  return {};
}

Result<void> GrpcServer::ListenTcp(const ListenOptions& options) {
  BERTH_ASSIGN_OR_RETURN(tcp_, TcpListener::Make(loop_, options));
  return {};
}

void GrpcServer::Start() {
  if (unix_ != nullptr) unix_->Start([this](int descriptor) { Accept(descriptor, "unix socket", {}); });
  if (tcp_ == nullptr) return;
  tcp_->Start([this](AcceptedSocket socket) { Accept(socket.Release(), socket.remote(), socket.local_address()); });
}

void GrpcServer::Stop(const std::string& why) {
  unix_ = nullptr;
  if (tcp_ != nullptr) tcp_->Close();
  for (const auto& connection : std::exchange(connections_, {})) {
    connection->Leave(why);
    connection->Shut(why);
  }
}

void GrpcServer::Accept(int descriptor, const std::string& remote, const std::string& local_address) {
  GrpcConnectionSetup setup = {.side = GrpcSession::Side::Server,
                               .limits = options_.limits,
                               .path = options_.path,
                               .clients = options_.clients,
                               .opened = opened_};
  std::string refused = connections_.size() < options_.max_connections ? "" : "too many connections";
  if (tcp_ != nullptr && options_.tls != nullptr && refused.empty()) {
    auto tls = TlsStream::MakeServer(options_.tls, local_address);
    if (tls) {
      setup.tls = std::move(*tls);
    } else {
      refused = tls.error().message;
    }
  }
  if (!refused.empty()) {
    close(descriptor);
    return log_.Warning("Connection refused", {{"remote", remote}, {"reason", refused}});
  }
  const auto connection = std::make_shared<GrpcConnection>(loop_, std::move(setup));
  // Later: it may be closed while all are walked through.
  connection->OnShut([this, held = std::weak_ptr<GrpcConnection>(connection), remote](const std::string& why) {
    log_.V(4).Info("Connection closed", {{"remote", remote}, {"reason", why}});
    connections_.erase(held.lock());
  });
  connections_.insert(connection);
  connection->Start(descriptor);
}

}  // namespace berth::net
