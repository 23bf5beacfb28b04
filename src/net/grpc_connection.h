// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "net/grpc_session.h"
#include "net/grpc_stream.h"
#include "net/loop.h"
#include "net/peer_certificates.h"
#include "net/tls_stream.h"
#include "net/watched_socket.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::net {

struct GrpcConnectionSetup {
  GrpcSession::Side side = GrpcSession::Side::Client;
  GrpcLimits limits = {};
  std::string path = {};
  std::unique_ptr<TlsStream> tls = {};  // null: in clear text
  // At a server: who may call, by certificate. Null: anyone who can connect.
  std::shared_ptr<const CertificatePool> clients = {};
  // At a server: whom a call's stream tells. Null refuses the call, for want of room.
  std::function<std::shared_ptr<GrpcStreamEvents>(GrpcStream)> opened = {};
};

// One connection over which gRPC is spoken: its socket, TLS if there is any, and its session. Whoever sends writes to
// the socket, so that a message reaches the other side without a change of threads; the loop reads, and writes what the
// socket did not take.
class GrpcConnection final : public std::enable_shared_from_this<GrpcConnection> {
 public:
  // The loop outlives this, or it is shut before.
  GrpcConnection(Loop& loop, GrpcConnectionSetup setup);
  ~GrpcConnection();
  GrpcConnection(const GrpcConnection&) = delete;
  GrpcConnection& operator=(const GrpcConnection&) = delete;

  // Any thread.
  GrpcSession::StreamId Open(const std::string& scheme, const std::string& authority,
                             std::shared_ptr<GrpcStreamEvents> events) BERTH_EXCLUDES(mutex_);
  void Send(GrpcSession::StreamId stream, std::string message) BERTH_EXCLUDES(mutex_);
  size_t UnsentBytes(GrpcSession::StreamId stream) BERTH_EXCLUDES(mutex_);
  void Taken(GrpcSession::StreamId stream, size_t bytes) BERTH_EXCLUDES(mutex_);
  void End(GrpcSession::StreamId stream, const GrpcStatus& status) BERTH_EXCLUDES(mutex_);
  // Closes the connection when no stream is left, or after a moment.
  void CloseSoon();

  // On the loop. Called once, when the socket is closed; not for a connection that was never started.
  void OnShut(std::function<void(const std::string& why)> call) { on_shut_ = std::move(call); }
  bool is_shut() BERTH_EXCLUDES(mutex_);

  // On the loop: takes the descriptor of a connected socket over.
  void Start(int descriptor) BERTH_EXCLUDES(mutex_);
  // On the loop, or when it has stopped: ends all streams in this way, and closes the socket.
  void Shut(const std::string& why) BERTH_EXCLUDES(mutex_);
  // At a server: tells the other side why it is shut.
  void Leave(const std::string& why) BERTH_EXCLUDES(mutex_);

 private:
  void Readable() BERTH_EXCLUDES(mutex_);
  void Writable() BERTH_EXCLUDES(mutex_);
  void Deliver() BERTH_EXCLUDES(mutex_);
  void Tell(GrpcEvent event) BERTH_EXCLUDES(mutex_);
  void CheckSilence() BERTH_EXCLUDES(mutex_);
  void SetTimer(Duration delay, std::function<void()> call);
  // The error says why the connection cannot go on.
  Result<void> Take(std::string_view bytes) BERTH_REQUIRES(mutex_);
  Result<void> ReadTls() BERTH_REQUIRES(mutex_);
  Result<void> ContinueHandshake() BERTH_REQUIRES(mutex_);
  Result<void> Produce() BERTH_REQUIRES(mutex_);
  void Flush() BERTH_REQUIRES(mutex_);
  bool Write() BERTH_REQUIRES(mutex_);
  void FlushAndPost() BERTH_REQUIRES(mutex_);

  Loop& loop_;
  const GrpcSession::Side side_;
  const GrpcLimits limits_;
  const std::shared_ptr<const CertificatePool> clients_;

  Mutex mutex_;
  GrpcSession session_ BERTH_GUARDED_BY(mutex_);
  std::unique_ptr<TlsStream> tls_ BERTH_GUARDED_BY(mutex_);
  bool is_open_ BERTH_GUARDED_BY(mutex_) = false;  // for the session: the TLS handshake is over
  bool is_shut_ BERTH_GUARDED_BY(mutex_) = false;
  int descriptor_ BERTH_GUARDED_BY(mutex_) = -1;  // what is written to; -1: not connected yet, or not any more
  std::string unwritten_ BERTH_GUARDED_BY(mutex_);
  size_t written_ BERTH_GUARDED_BY(mutex_) = 0;  // of it
  bool awaits_writable_ BERTH_GUARDED_BY(mutex_) = false;
  bool deliver_posted_ BERTH_GUARDED_BY(mutex_) = false;
  std::string failure_ BERTH_GUARDED_BY(mutex_);  // found by whoever sent; the loop shuts the connection
  // Whom to tell; touched on the loop only, but for the stream of a client, which is there from the beginning.
  std::unordered_map<GrpcSession::StreamId, std::shared_ptr<GrpcStreamEvents>> listeners_ BERTH_GUARDED_BY(mutex_);

  // On the loop.
  std::function<std::shared_ptr<GrpcStreamEvents>(GrpcStream)> opened_;
  std::function<void(const std::string&)> on_shut_;
  std::optional<WatchedSocket> socket_;
  Loop::TimerId timer_ = 0;
  Loop::TimerId close_timer_ = 0;
  Duration heard_ = {};
  bool pinged_ = false;
  std::vector<char> incoming_;
};

}  // namespace berth::net
