// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "net/grpc_session.h"
#include "net/grpc_stream.h"
#include "net/loop.h"
#include "net/tls.h"

#include <cstdint>
#include <memory>
#include <string>

namespace berth::net {

// Where a gRPC server listens: at a path, or at a port of a host.
struct GrpcTarget {
  std::string unix_path = {};
  std::string host = {};
  uint16_t port = 0;
  std::shared_ptr<const TlsClientContext> tls = {};  // null: in clear text
};

struct GrpcCall {
  GrpcTarget target = {};
  std::string path = {};  // of the method: "/package.Service/Method"
  GrpcLimits limits = {};
  // The server may be starting: for so long, a connection that is refused is tried again.
  Duration patience = {};
};

// Opens a stream over a connection of its own. Any thread; the loop outlives the connection. What is sent before it is
// connected waits. A server that cannot be reached is told as the end of the stream.
GrpcStream OpenGrpcStream(Loop& loop, const GrpcCall& call, std::shared_ptr<GrpcStreamEvents> events);

}  // namespace berth::net
