// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/server_session.h"

#include <functional>
#include <memory>
#include <string>

namespace berth::net {

// The present time as HTTP writes it: "Tue, 15 Nov 1994 08:12:31 GMT".
std::string HttpDate();

// HTTP/1.0 and 1.1: one request after the other. What a client sends ahead waits until it has taken the response
// before.
class Http1ServerSession final : public ServerSession {
 public:
  // Whom it tells outlives this; `date` says what the header of that name says.
  Http1ServerSession(ServerSessionLimits limits, ServerSessionEvents& events,
                     std::function<std::string()> date = HttpDate);
  ~Http1ServerSession() override;

  Result<void> Receive(std::string_view bytes) override;
  void Respond(StreamId stream, ServerResponse response) override;
  Result<void> Produce(std::string& out, size_t limit) override;
  void Leave() override;
  bool over() const override { return ended_ && produced_ == outgoing_.size(); }
  State state() const override;
  uint64_t requests() const override { return static_cast<uint64_t>(stream_); }
  uint64_t response_bytes() const override { return response_bytes_; }

 private:
  class Parser;
  void Parse();
  void TakeParsed();
  void Refuse(int status, std::string_view detail);

  const ServerSessionLimits limits_;
  ServerSessionEvents& events_;
  const std::function<std::string()> date_;
  std::unique_ptr<Parser> parser_;  // of the request that has begun to come
  std::string incoming_;            // not parsed yet
  std::string outgoing_;
  size_t produced_ = 0;  // of it
  uint64_t response_bytes_ = 0;
  StreamId stream_ = 0;  // the number of the latest request
  bool answering_ = false;
  bool only_head_ = false;   // the request under way wants no body
  bool old_client_ = false;  // it speaks HTTP/1.0
  bool keep_alive_ = true;
  bool leaving_ = false;
  bool ended_ = false;  // nothing more is read
};

}  // namespace berth::net
