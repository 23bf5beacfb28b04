// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "net/http.h"
#include "net/loop.h"
#include "net/proxy_tunnel.h"
#include "net/tls.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace berth::net {

// Where a server is, and how it is reached.
struct Endpoint {
  std::string host = {};  // a name or an address, without brackets
  uint16_t port = 0;
  std::shared_ptr<const TlsClientContext> tls = {};  // null: in clear text
  bool http2_in_clear = false;                       // in clear text, the server is known to speak HTTP/2
  std::optional<ProxyServer> proxy = {};
};

struct HttpClientOptions {
  // From the name's resolution to the server's first frame.
  Duration connect_timeout = std::chrono::seconds(30);
  // A connection that is silent this long is asked whether it is alive, and given up when no answer comes in time.
  Duration ping_after = std::chrono::seconds(30);
  Duration ping_timeout = std::chrono::seconds(15);
  // How much a server may send before it must wait until it was read, of one response and of all together.
  uint32_t stream_window = 1 << 20;
  uint32_t connection_window = 4 << 20;
  // A request that the server's machine does not acknowledge for this long has not been sent, or breaks the connection;
  // nothing of it arrives later. Zero: no limit.
  Duration stall_limit = {};
  bool moderate_reads = false;         // at most some hundred a second: fewer wake-ups, some milliseconds more delay
  size_t max_header_bytes = 64 << 10;  // of one response, counted as HTTP/2 does: 32 bytes more for each header
};

// Until when a request is worth sending, and its answer worth waiting for.
struct SendLimits {
  std::optional<Duration> timeout = {};  // counts from Send: the exchange ends by then, as NotSent or Unknown
  // Asked when it is the request's turn: false ends it as NotSent. Asked again right before every system call that
  // writes some of it: false breaks the connection then, so that nothing more of it arrives. Between these moments it
  // is encoded and encrypted, and may wait for the system: a process that is stopped meanwhile and goes on later sends
  // nothing that is too old. What remains is a process that is stopped between the last question and the system call.
  std::function<bool()> may_send = {};
};

// Sends requests to one server over one HTTP/2 connection, which is opened when there is something to send and
// replaced when it breaks or the server asks to leave it (GOAWAY); exchanges under way on a connection that the server
// leaves are finished there. Requests beyond the number of streams the server allows wait in order. A server that
// speaks HTTP/1.1 only gets a connection for each exchange, which is used again afterwards. When no connection can be
// opened, all that wait end as NotSent with the reason; it is opened again for the next request, at once. Nothing is
// tried again: the end says whether it may be. On the loop, but for construction.
class HttpClient {
 public:
  // The loop outlives this.
  HttpClient(Loop& loop, Endpoint endpoint, HttpClientOptions options = {});
  // Cancels everything: the handlers hear nothing more. A handler may do this.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  using ExchangeId = uint64_t;
  // The handler lives until its end was told or the exchange is cancelled. TakeEnd is never called inside Send.
  ExchangeId Send(Request request, std::shared_ptr<ResponseHandler> handler, const SendLimits& limits = {});
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
