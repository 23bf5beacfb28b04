// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::net {

// Names in lower case.
using Headers = std::vector<std::pair<std::string, std::string>>;

// ASCII letters only, whatever the locale.
std::string LowerCase(std::string_view text);

struct Request {
  std::string method = "GET";
  std::string path = {};  // with the query, percent-encoded
  Headers headers = {};
  std::string body = {};  // its content-length is added to the headers
};

struct ResponseHead {
  int status = 0;
  Headers headers = {};

  // The first value of the header; empty when there is none.
  std::string_view Header(std::string_view name) const;
};

// How an exchange ended.
enum class ExchangeEnd : uint8_t {
  Complete,  // the whole response has come
  NotSent,   // the server has not acted on the request, and will not: it may be sent again
  Unknown,   // the connection was lost when the server may have acted
  Canceled,  // by the caller
};

// Receives one response. Called on the client's loop, in this order: the head once, the body in pieces, the end once.
// The end may come at any time. Interim responses and trailers are passed over. A handler may call its client.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  virtual void TakeHead(const ResponseHead& head) = 0;
  // While this does not return, nothing more is read from the connection: the server notices by flow control.
  virtual void TakeBody(std::string_view piece) = 0;
  // `error` says what happened unless Complete.
  virtual void TakeEnd(ExchangeEnd end, const std::string& error) = 0;
};

}  // namespace berth::net
