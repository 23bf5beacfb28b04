// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/server_session.h"

#include <memory>
#include <string>
#include <unordered_map>

struct nghttp2_session;

namespace berth::net {

// HTTP/2: many requests at once. What exceeds the limits of all together is refused, so that the client may try it
// again.
class Http2ServerSession final : public ServerSession {
 public:
  // Whom it tells outlives this.
  Http2ServerSession(ServerSessionLimits limits, ServerSessionEvents& events);
  ~Http2ServerSession() override;
  Http2ServerSession(const Http2ServerSession&) = delete;
  Http2ServerSession& operator=(const Http2ServerSession&) = delete;

  Result<void> Receive(std::string_view bytes) override;
  void Respond(StreamId stream, ServerResponse response) override;
  Result<void> Produce(std::string& out, size_t limit) override;
  void Leave() override;
  bool over() const override;
  State state() const override;
  uint64_t requests() const override { return requests_; }
  uint64_t response_bytes() const override { return response_bytes_; }

 private:
  class Callbacks;  // what the library calls
  struct Stream {
    ServerRequest request = {};
    size_t held = 0;         // bytes of the request, while it is not handed over
    int refusal = 0;         // the status it is answered with, because a limit was exceeded; 0: none
    bool received = false;   // as a whole: it waits for its response, or is being sent it
    bool answered = false;   // it is being sent its response
    bool only_head = false;  // it wants no body
    std::string body = {};   // of the response
    size_t sent = 0;
  };
  Stream* Find(StreamId stream);
  bool Hold(StreamId id, Stream& stream, size_t bytes);
  void Refuse(Stream& stream, int status);
  void Reset(StreamId id, uint32_t code);
  void Forget(StreamId id);
  void RequestEnded(StreamId id);

  const ServerSessionLimits limits_;
  ServerSessionEvents& events_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<StreamId, Stream> streams_;
  // Requests that were handed over and are not answered, with their sizes; also when the client has given up the
  // stream: to reset streams must not make room for more.
  std::unordered_map<StreamId, size_t> unanswered_;
  size_t held_ = 0;  // bytes of all requests
  uint64_t requests_ = 0;
  uint64_t response_bytes_ = 0;
  bool leaving_ = false;
};

}  // namespace berth::net
