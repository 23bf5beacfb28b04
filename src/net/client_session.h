// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/http.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace berth::net {

// HTTP at a client, on one connection, without socket, clock or thread: bytes from the server in, bytes for the server
// out. Handlers are called inside all of Receive, EndOfInput, Produce, End and Lose, and may call End, Lose and what
// begins or cancels exchanges, but not the others. One thread.
class ClientSession {
 public:
  virtual ~ClientSession() = default;

  // How many requests it takes at once is known.
  virtual bool ready() const = 0;
  // No request can be started any more.
  virtual bool leaving() const = 0;
  // Ready, not leaving, and not as busy as it may be.
  virtual bool CanStart() const = 0;
  // Nothing is left to do: the connection is to be closed.
  virtual bool over() const = 0;
  // It takes one request after the other: what shall run beside them needs a connection of its own.
  virtual bool takes_one() const = 0;
  // Why the connection ended, as far as the server or the protocol said; empty: nothing was said.
  virtual const std::string& problem() const = 0;

  using StreamId = int32_t;
  // Only if CanStart. The error is about a request that cannot be written as it is: nothing of it is sent.
  virtual Result<StreamId> Start(Request request, std::shared_ptr<ResponseHandler> handler) = 0;
  // The handler hears nothing more. A stream that has ended is ignored.
  virtual void Cancel(StreamId stream) = 0;
  // Ends the exchange as NotSent, if nothing of it was handed to the transport, or Unknown.
  virtual void End(StreamId stream, const std::string& why) = 0;
  // Ends all exchanges in this way: the connection is lost.
  virtual void Lose(const std::string& why) = 0;

  // The error says why the connection cannot go on.
  virtual Result<void> Receive(std::string_view bytes) = 0;
  // The server has said that it will send nothing more, in a way that nobody else can feign: a response may end so.
  // What has not ended by this is lost.
  virtual void EndOfInput() {}
  // Appends to `out`, until there is nothing more or it has `limit` bytes. What is appended counts as handed to the
  // transport.
  virtual Result<void> Produce(std::string& out, size_t limit) = 0;
  // Part of a request that was started is not produced until the server takes more.
  virtual bool HoldsBack() const { return false; }
  // Asks the server to answer; says false where the protocol has no such question.
  virtual bool Ping() = 0;
};

}  // namespace berth::net
