// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "net/http.h"
#include "net/loop.h"
#include "net/tls.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace berth::net {

// Where a server is, and how it is reached.
struct Endpoint {
  std::string host = {};  // a name or an address, without brackets
  uint16_t port = 0;
  std::shared_ptr<const TlsClientContext> tls = {};  // null: in clear text, HTTP/2 by prior knowledge
  // An HTTP proxy that is asked to CONNECT, as "host:port"; empty: none.
  std::string proxy = {};
  std::string proxy_authorization = {};  // value of the Proxy-Authorization header; empty: none
};

struct Http2Options {
  // From the name's resolution to the server's first frame.
  Duration connect_timeout = std::chrono::seconds(30);
  // A connection that is silent this long is asked whether it is alive, and given up when no answer comes in time.
  Duration ping_after = std::chrono::seconds(30);
  Duration ping_timeout = std::chrono::seconds(15);
  // How much a server may send before it must wait until it was read, of one response and of all together.
  uint32_t stream_window = 1 << 20;
  uint32_t connection_window = 4 << 20;
  size_t max_header_bytes = 64 << 10;  // of one response, counted as HTTP/2 does: 32 bytes more for each header
};

// Sends requests to one server over one HTTP/2 connection, which is opened when there is something to send and
// replaced when it breaks or the server asks to leave it (GOAWAY); exchanges under way on a connection that the server
// leaves are finished there. Requests beyond the number of streams the server allows wait in order. When no connection
// can be opened, all that wait end as NotSent with the reason; it is opened again for the next request, at once.
// Nothing is tried again: the end says whether it may be. On the loop, but for construction.
class Http2Client {
 public:
  // The loop outlives this.
  Http2Client(Loop& loop, Endpoint endpoint, Http2Options options = {});
  // Cancels everything: the handlers hear nothing more. A handler may do this.
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  using ExchangeId = uint64_t;
  // The handler lives until its end was told or the exchange is cancelled. With `timeout`, the exchange ends by then,
  // as NotSent or Unknown. TakeEnd is never called inside Send.
  ExchangeId Send(Request request, std::shared_ptr<ResponseHandler> handler, std::optional<Duration> timeout = {});
  // The handler hears nothing more. An exchange that has ended is ignored.
  void Cancel(ExchangeId exchange);
  // Does not send what waits, ends the rest as NotSent or Unknown, and closes the connection. What is sent afterwards
  // ends as NotSent.
  void Close();

  struct Stats {
    uint64_t connections = 0;  // attempts to open one
    size_t waiting = 0;        // exchanges that wait for a stream
    size_t under_way = 0;
  };
  Stats stats() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // shared with its own calls: a handler may destroy the client
};

}  // namespace berth::net
