// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/client_session.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace berth::net {

// HTTP/1.1 at a client: one request after the other. A request that is given up ends the connection, as the rest of its
// response could not be told from the next.
class Http1Session final : public ClientSession {
 public:
  struct Options {
    std::string authority = {};
    size_t max_header_bytes = 64 << 10;
  };
  explicit Http1Session(Options options);
  ~Http1Session() override;

  bool ready() const override { return true; }
  bool leaving() const override { return ended_; }
  bool CanStart() const override { return !ended_ && handler_ == nullptr; }
  bool over() const override { return ended_ && handler_ == nullptr; }
  bool takes_one() const override { return true; }
  const std::string& problem() const override { return problem_; }

  Result<StreamId> Start(Request request, std::shared_ptr<ResponseHandler> handler) override;
  void Cancel(StreamId stream) override;
  void End(StreamId stream, const std::string& why) override;
  void Lose(const std::string& why) override;

  Result<void> Receive(std::string_view bytes) override;
  void EndOfInput() override;
  Result<void> Produce(std::string& out, size_t limit) override;
  bool Ping() override { return false; }

 private:
  class Parser;
  void Finish(ExchangeEnd end, const std::string& error);
  Result<void> Fail(std::string why);

  const Options options_;
  StreamId stream_ = 0;                       // the latest
  std::shared_ptr<ResponseHandler> handler_;  // of the request under way; null: there is none
  std::string outgoing_;
  size_t produced_ = 0;             // of it
  std::string incoming_;            // not parsed yet
  std::unique_ptr<Parser> parser_;  // of the response under way
  bool ended_ = false;              // no further request
  std::string problem_;
};

}  // namespace berth::net
