// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "extender/extender_url.h"
#include "net/http_client.h"
#include "net/loop.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace berth::extender {

struct CallLimits {
  // Of one extender's calls under way at once; others wait for their turn in order.
  size_t max_under_way = 16;
  // Bytes of an answer, or twice those of the question where that is more: an extender that is asked with whole nodes
  // may send all of them back. A longer answer is not read to its end.
  size_t max_answer = size_t{64} << 20U;
};

// One question to a verb of an extender.
struct ExtenderCall {
  std::string verb;
  ExtenderUrl url;
  std::function<std::string()> question;  // asked when it is the call's turn, and again when it has to be sent twice
  // The body of a response with status 200, or what went wrong. Called at most once: what was not answered when the
  // channel closes is let go.
  std::function<void(Result<std::string>)> answered;
};

// Calls one extender over connections that are kept. On the loop, but for construction.
class CallChannel {
 public:
  // The loop outlives this. The timeout counts from the moment when a call is sent; as in Go, there is none unless it
  // is positive.
  CallChannel(net::Loop& loop, net::Endpoint endpoint, CallLimits limits, Duration timeout);
  ~CallChannel();
  CallChannel(const CallChannel&) = delete;
  CallChannel& operator=(const CallChannel&) = delete;

  void Ask(ExtenderCall call);
  // Lets go of all calls and connections; so it does with what is asked afterwards.
  void Close();

 private:
  class Exchange;

  void StartWaiting();
  void End(const ExtenderCall& call, Result<std::string> answer);

  net::Loop& loop_;
  const CallLimits limits_;
  const Duration timeout_;
  std::unique_ptr<net::HttpClient> client_;  // null: closed
  std::deque<ExtenderCall> waiting_;
  size_t under_way_ = 0;
};

}  // namespace berth::extender
