// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/grpc_session.h"
#include "net/grpc_status.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace berth::net {

class GrpcConnection;

// Hears of one stream, on the loop. May call whatever the stream offers.
class GrpcStreamEvents {
 public:
  virtual ~GrpcStreamEvents() = default;
  // At a client: the server is there. Its answer to the call may still be a refusal.
  virtual void StreamReady() {}
  virtual void StreamReceived(std::string message) = 0;
  // At a server: the client will send nothing more.
  virtual void StreamInputEnded() {}
  // Nothing comes after this.
  virtual void StreamEnded(const GrpcStatus& status) = 0;
};

// One stream of messages to and fro, from either end; the end of the last copy changes nothing. Any thread; the loop
// outlives the connection, not this.
class GrpcStream {
 public:
  GrpcStream(std::shared_ptr<GrpcConnection> connection, GrpcSession::StreamId id)
      : connection_(std::move(connection)), id_(id) {}

  // In the order of calls; never waits. On this thread the system is given what it takes at once.
  void Send(std::string message) const;
  // Bytes of messages for which the other side has no room.
  size_t UnsentBytes() const;
  // Messages with so many bytes are done with: before that, no more than the limit of them come.
  void Taken(size_t bytes) const;
  // Says to the other side, after what was sent: at a client, that it will send nothing more; at a server, how the call
  // ended.
  void End(const GrpcStatus& status = {}) const;
  // At a client: as End, and the connection is closed when the server has ended the stream, or a moment later.
  void Close() const;

 private:
  std::shared_ptr<GrpcConnection> connection_;
  GrpcSession::StreamId id_;
};

}  // namespace berth::net
