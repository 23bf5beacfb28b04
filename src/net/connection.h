// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/client_session.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "net/proxy_tunnel.h"
#include "net/tcp_socket.h"
#include "net/tls_stream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// One connection over its socket: resolved, through a proxy and TLS if there are any, of the HTTP that both sides
// speak, kept alive by PING where there is such a thing. On the loop.
class Connection final : public std::enable_shared_from_this<Connection>, private TcpSocketEvents {
 public:
  // Loop and owner outlive this, or it is closed before.
  Connection(Loop& loop, const Endpoint& endpoint, const HttpClientOptions& options, ConnectionOwner& owner);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Tells the owner later, never inside.
  void Open();
  // Only if CanStart; Flush sends what this gives rise to. `may_send` is asked before every write of some of it: false
  // breaks the connection. Empty: it may be sent at any time.
  Result<ClientSession::StreamId> Start(Request request, std::shared_ptr<ResponseHandler> handler,
                                        const std::function<bool()>& may_send);
  // Exchanges that were started are cancelled here.
  ClientSession& session() { return *session_; }
  bool CanStart() const { return session_ != nullptr && session_->CanStart(); }
  bool leaving() const { return session_ != nullptr && session_->leaving(); }
  // Whether it is open, takes one request after the other, and has one.
  bool is_taken() const { return step_ == Step::Open && session_->takes_one() && !session_->CanStart(); }
  std::string problem() const { return session_ == nullptr ? std::string() : session_->problem(); }
  void Flush();
  // Drops the connection: the owner hears nothing more. Exchanges are left as they are.
  void Close();
  // Ends the exchanges of a connection that was dropped.
  void EndExchanges(const std::string& why) {
    if (session_ != nullptr) session_->Lose(why);
  }

 private:
  enum class Step : uint8_t { Connecting, AskingProxy, Handshake, Greeting, Open, Closed };

  void SocketConnected() override;
  void SocketReceived(std::string_view bytes) override;
  void SocketWrote() override;
  void SocketEnded() override;
  void SocketFailed(const std::string& why) override;

  void BeginTls();
  void ContinueHandshake();
  std::unique_ptr<ClientSession> AgreedSession() const;
  void BeginHttp();
  void Greeted();
  void ReceivePlain(std::string_view bytes);
  void ReadTls();
  void AfterReceiving();
  void SendCiphertext();
  void Send(std::string bytes);
  bool MayWrite() const;
  void WatchSilence(Duration delay);
  void CheckSilence();
  void Shut();
  void Lose(const std::string& why);
  std::string StepName() const;
  std::string ProxyName() const;

  Loop& loop_;
  const Endpoint endpoint_;
  const HttpClientOptions options_;
  ConnectionOwner* owner_;  // null: it has closed the connection
  const std::string target_;
  TcpSocket socket_;
  std::unique_ptr<ProxyTunnel> proxy_;  // null: there is none
  std::unique_ptr<TlsStream> tls_;
  std::unique_ptr<ClientSession> session_;  // null until it is known which protocol is spoken
  Step step_ = Step::Connecting;
  bool writing_ = false;
  std::string queued_;                                // for the socket, while a write is under way
  std::vector<std::function<bool()>> unproduced_;     // of requests of which the session may still have a part
  std::vector<std::function<bool()>> being_written_;  // of those with a part in the write under way
  Loop::TimerId timer_ = 0;                           // of the step: to connect, or to look for silence
  Duration heard_ = {};                               // when the latest bytes came
  bool pinged_ = false;
};

}  // namespace berth::net
