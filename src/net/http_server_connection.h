// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "net/http_server.h"
#include "net/server_session.h"
#include "net/tcp_socket.h"
#include "net/tls_stream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace berth::net {

class LoopGate {
 public:
  explicit LoopGate(Loop& loop) : loop_(&loop) {}
  // Calls on the loop, or never once the gate is closed.
  void Post(std::function<void()> call) BERTH_EXCLUDES(mutex_);
  void Close() BERTH_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  Loop* loop_ BERTH_GUARDED_BY(mutex_);  // null: closed
};

// One connection of a server: socket, TLS, HTTP. On the loop.
class HttpServerConnection final : public std::enable_shared_from_this<HttpServerConnection>,
                                   private TcpSocketEvents,
                                   private ServerSessionEvents {
 public:
  HttpServerConnection(HttpServer& server, AcceptedSocket socket, std::unique_ptr<TlsStream> tls);
  ~HttpServerConnection();
  HttpServerConnection(const HttpServerConnection&) = delete;
  HttpServerConnection& operator=(const HttpServerConnection&) = delete;

  // Nothing is lost when it is closed.
  bool idle() const;
  // For the rest of the handshake or of a request, or to take a response.
  bool waits_for_client() const;
  // When what it waits for began.
  Duration waits_since() const { return waits_since_; }
  void Respond(StreamId stream, ServerResponse response);
  // Closes it when what was asked is answered.
  void Leave();
  // At once; the server forgets it later.
  void Close();

 private:
  enum class Step : uint8_t { Handshake, Open, Lingering, Closed };
  // How far the client has come: while this does not change, it lets us wait.
  struct Watched {
    ServerSession::State state = ServerSession::State::Idle;
    uint64_t requests = 0;
    uint64_t response_bytes = 0;
    bool operator==(const Watched&) const = default;
  };

  void SocketConnected() override {}
  void SocketReceived(std::string_view bytes) override;
  void SocketWrote() override;
  void SocketFailed(const std::string& why) override;
  void TakeRequest(StreamId stream, ServerRequest request) override;

  void ContinueHandshake();
  void ReadTls();
  void Advance();
  void SendCiphertext();
  void Send(std::string bytes);
  void Linger();
  void Fail(const std::string& why);
  void Watch();
  void SetTimer(Duration delay, std::string_view why);

  HttpServer* server_;  // null: closed
  Loop& loop_;
  const std::string remote_;
  std::unique_ptr<TlsStream> tls_;
  std::unique_ptr<ServerSession> session_;  // once the handshake is over
  std::shared_ptr<const PeerCertificates> shown_;
  Step step_ = Step::Handshake;
  bool heard_ = false;  // anything at all
  bool writing_ = false;
  std::string queued_;             // for the socket, while a write is under way
  Loop::TimerId write_timer_ = 0;  // while a write is under way
  Loop::TimerId timer_ = 0;
  Watched watched_ = {};  // what the timer is set for
  Duration waits_since_;
  TcpSocket socket_;  // last: it calls the rest
};

}  // namespace berth::net
