// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/client_session.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

struct nghttp2_session;

namespace berth::net {

// HTTP/2 at a client: many requests at once.
class Http2Session final : public ClientSession {
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
  ~Http2Session() override;
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // The server has introduced itself with its settings: how many streams it allows is known.
  bool ready() const override { return ready_; }
  // The server leaves, or the stream numbers are used up.
  bool leaving() const override;
  // Within the number of streams that the server allows, too.
  bool CanStart() const override;
  bool over() const override;
  bool takes_one() const override { return false; }
  size_t open_streams() const { return streams_.size(); }
  const std::string& problem() const override { return problem_; }

  Result<StreamId> Start(Request request, std::shared_ptr<ResponseHandler> handler) override;
  void Cancel(StreamId stream) override;
  void End(StreamId stream, const std::string& why) override;
  void Lose(const std::string& why) override;

  Result<void> Receive(std::string_view bytes) override;
  Result<void> Produce(std::string& out, size_t limit) override;
  bool HoldsBack() const override;
  // Whether Produce has something.
  bool HasOutput() const;
  bool Ping() override;

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
