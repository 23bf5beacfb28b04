// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/http.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

struct nghttp2_session;

namespace berth::net {

// One HTTP/2 connection of a client, without socket, clock or thread: bytes from the server in, bytes for the server
// out. Handlers are called inside Receive, Produce, End and Lose, and may call everything but Receive and Produce. One
// thread.
class Http2Session {
 public:
  struct Options {
    std::string scheme = "https";
    std::string authority = {};
    uint32_t stream_window = 1 << 20;
    uint32_t connection_window = 4 << 20;
    size_t max_header_bytes = 64 << 10;
    int32_t first_stream = 1;
  };
  explicit Http2Session(Options options);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // The server has introduced itself with its settings: how many streams it allows is known.
  bool ready() const { return ready_; }
  // No request can be started any more: the server leaves, or the stream numbers are used up.
  bool leaving() const;
  // Ready, not leaving, and within the number of streams that the server allows.
  bool CanStart() const;
  // Nothing is left to do: the connection is to be closed.
  bool over() const;
  size_t open_streams() const { return streams_.size(); }
  // Why the connection ended, as far as the server or the protocol said; empty: nothing was said.
  const std::string& problem() const { return problem_; }

  using StreamId = int32_t;
  // Only if CanStart.
  Result<StreamId> Start(Request request, std::shared_ptr<ResponseHandler> handler);
  // The handler hears nothing more. A stream that has ended is ignored.
  void Cancel(StreamId stream);
  // Ends the exchange as NotSent, if nothing of it was handed to the transport, or Unknown.
  void End(StreamId stream, const std::string& why);
  // Ends all exchanges in this way: the connection is lost.
  void Lose(const std::string& why);

  // The error says why the connection cannot go on.
  Result<void> Receive(std::string_view bytes);
  // Appends to `out`, until there is nothing more or it has `limit` bytes. What is appended counts as handed to the
  // transport.
  Result<void> Produce(std::string& out, size_t limit);
  // Whether Produce has something.
  bool HasOutput() const;
  // Asks the server to answer.
  void Ping();

 private:
  class Callbacks;  // what the library calls
  struct Stream {
    std::shared_ptr<ResponseHandler> handler;
    std::string body;
    size_t body_sent = 0;
    bool handed_over = false;  // its HEADERS
    ResponseHead head = {};
    size_t header_bytes = 0;
    bool head_told = false;
  };
  Stream* Find(StreamId stream);
  void Finish(StreamId stream, ExchangeEnd end, const std::string& error);
  void Reset(StreamId stream);

  Options options_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<StreamId, Stream> streams_;
  bool ready_ = false;
  std::string problem_;
};

}  // namespace berth::net
