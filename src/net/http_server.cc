// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include "net/http_server_connection.h"
#include "net/tls_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::net {

HttpServer::HttpServer(Loop& loop, HttpServerOptions options, RequestHandler handler, log::Logger log)
    : loop_(loop),
      options_(options),
      handler_(std::move(handler)),
      log_(std::move(log)),
      gate_(std::make_shared<LoopGate>(loop)) {}

HttpServer::~HttpServer() {
  gate_->Close();
  loop_.Cancel(stop_timer_);
  stopped_ = nullptr;
  const auto open = std::exchange(connections_, {});
  for (const auto& connection : open) connection->Close();
}

Result<void> HttpServer::Listen(const ListenOptions& options) {
  BERTH_ASSIGN_OR_RETURN(listener_, TcpListener::Make(loop_, options));
  return {};
}

void HttpServer::Start() {
  listener_->Start([this](AcceptedSocket socket) { Accept(std::move(socket)); });
}

void HttpServer::Accept(AcceptedSocket socket) {
  if (!MakeRoom()) {
    log_.V(2).Info("Connection refused: too many are open", {{"remote", socket.remote()}});
    return;
  }
  auto tls = TlsStream::MakeServer(tls_, socket.local_address());
  if (!tls) {
    log_.Error("Connection refused", {{"remote", socket.remote()}, {"reason", tls.error().message}});
    return;
  }
  connections_.insert(std::make_shared<HttpServerConnection>(*this, std::move(socket), *std::move(tls)));
}

// Connections that nobody uses must not keep others out; if there is none, neither must one whose client lets us wait.
bool HttpServer::MakeRoom() {
  if (connections_.size() < options_.max_connections) return true;
  for (const auto may_go : {&HttpServerConnection::idle, &HttpServerConnection::waits_for_client}) {
    std::shared_ptr<HttpServerConnection> oldest;
    for (const auto& connection : connections_) {
      if (!(*connection.*may_go)()) continue;
      if (oldest == nullptr || connection->waits_since() < oldest->waits_since()) oldest = connection;
    }
    if (oldest == nullptr) continue;
    oldest->Close();
    return true;
  }
  return false;
}

void HttpServer::Forget(HttpServerConnection& connection) {
  connections_.erase(connection.shared_from_this());
  CheckStopped();
}

void HttpServer::Stop(Duration grace, std::function<void()> stopped) {
  stopped_ = std::move(stopped);
  if (listener_ != nullptr) listener_->Close();
  stop_timer_ = loop_.After(grace, [this] {
    const std::vector<std::shared_ptr<HttpServerConnection>> open(connections_.begin(), connections_.end());
    for (const auto& connection : open) connection->Close();
  });
  const std::vector<std::shared_ptr<HttpServerConnection>> open(connections_.begin(), connections_.end());
  for (const auto& connection : open) connection->Leave();
  CheckStopped();
}

void HttpServer::CheckStopped() {
  if (stopped_ == nullptr || !connections_.empty()) return;
  loop_.Cancel(stop_timer_);
  // Not inside a call of a connection, since the server may be destroyed then.
  loop_.Post([stopped = std::exchange(stopped_, nullptr)] { stopped(); });
}

}  // namespace berth::net
