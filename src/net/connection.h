// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http2_client.h"
#include "net/http2_session.h"
#include "net/loop.h"
#include "net/proxy_tunnel.h"
#include "net/tcp_socket.h"
#include "net/tls_stream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::net {

class Connection;

// Hears of its connections, on the loop; may close or drop them meanwhile.
class ConnectionOwner {
 public:
  // Something came from the server: the connection may be ready now, have streams free again, or be leaving.
  virtual void ConnectionMoved(Connection& connection) = 0;
  // It is closed, and its exchanges have ended. Nothing comes after this.
  virtual void ConnectionLost(Connection& connection, const std::string& why) = 0;

 protected:
  ~ConnectionOwner() = default;
};

// One HTTP/2 connection over its socket: resolved, through a proxy and TLS if there are any, kept alive by PING. On the
// loop.
class Connection final : public std::enable_shared_from_this<Connection>, private TcpSocketEvents {
 public:
  // Loop and owner outlive this, or it is closed before.
  Connection(Loop& loop, const Endpoint& endpoint, const Http2Options& options, ConnectionOwner& owner);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Tells the owner later, never inside.
  void Open();
  // Exchanges are started and cancelled here; Flush sends what this gives rise to.
  Http2Session& session() { return session_; }
  void Flush();
  // Drops the connection: the owner hears nothing more. Exchanges are left as they are.
  void Close();

 private:
  enum class Step : uint8_t { Connecting, AskingProxy, Handshake, Greeting, Open, Closed };

  void SocketConnected() override;
  void SocketReceived(std::string_view bytes) override;
  void SocketWrote() override;
  void SocketFailed(const std::string& why) override;

  void BeginTls();
  void ContinueHandshake();
  void BeginHttp2();
  void ReceivePlain(std::string_view bytes);
  void ReadTls();
  void AfterReceiving();
  void SendCiphertext();
  void Send(std::string bytes);
  void WatchSilence(Duration delay);
  void CheckSilence();
  void Shut();
  void Lose(const std::string& why);
  std::string StepName() const;

  Loop& loop_;
  const Endpoint endpoint_;
  const Http2Options options_;
  ConnectionOwner* owner_;  // null: it has closed the connection
  const std::string target_;
  TcpSocket socket_;
  std::optional<ProxyTunnel> proxy_;
  std::unique_ptr<TlsStream> tls_;
  Http2Session session_;
  Step step_ = Step::Connecting;
  bool writing_ = false;
  std::string queued_;       // for the socket, while a write is under way
  Loop::TimerId timer_ = 0;  // of the step: to connect, or to look for silence
  Duration heard_ = {};      // when the latest bytes came
  bool pinged_ = false;
};

}  // namespace berth::net
