// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/server_message.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::net {

// Hears of the requests on one connection, inside Receive and Produce.
class ServerSessionEvents {
 public:
  using StreamId = int32_t;
  // The whole request has come; `remote` and `shown` are left to fill in. It is answered later, by Respond.
  virtual void TakeRequest(StreamId stream, ServerRequest request) = 0;

 protected:
  ~ServerSessionEvents() = default;
};

struct ServerSessionLimits {
  // Of a request that nobody has been authorized for yet.
  size_t max_header_bytes = size_t{64} << 10U;
  size_t max_body_bytes = size_t{64} << 10U;
  // Where the protocol allows several requests at once: how many, and what all that are not answered yet may have.
  uint32_t max_streams = 100;
  size_t max_unanswered_bytes = size_t{256} << 10U;
};

// HTTP at a server, on one connection, without socket, clock or thread: bytes from the client in, bytes for the client
// out. One thread.
class ServerSession {
 public:
  using StreamId = ServerSessionEvents::StreamId;
  virtual ~ServerSession() = default;

  // The error says why the connection cannot go on; what is to be sent nevertheless, Produce has.
  virtual Result<void> Receive(std::string_view bytes) = 0;
  // Not inside Receive. A request that the client has given up meanwhile is ignored.
  virtual void Respond(StreamId stream, ServerResponse response) = 0;
  // Appends to `out`, until there is nothing more or it has about `limit` bytes.
  virtual Result<void> Produce(std::string& out, size_t limit) = 0;
  // What was asked is answered, nothing else is: the connection is to be closed when this is over.
  virtual void Leave() = 0;
  // Nothing more will be read, and nothing is left to write: the connection is to be closed.
  virtual bool over() const = 0;

  enum class State : uint8_t {
    Idle,       // between requests
    Receiving,  // part of a request has come
    Answering,  // a request waits for its response
    Sending,    // the client has not taken the whole of a response
  };
  virtual State state() const = 0;
  // Requests received so far.
  virtual uint64_t requests() const = 0;
  // Bytes of responses produced so far: they stand still while the client takes nothing.
  virtual uint64_t response_bytes() const = 0;
};

}  // namespace berth::net
