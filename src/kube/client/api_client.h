// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "kube/access/cluster_access.h"
#include "kube/access/credentials.h"
#include "kube/client/rate_limiter.h"
#include "net/http.h"
#include "net/http_client.h"
#include "net/loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace berth::kube {

inline constexpr std::string_view kJson = "application/json";

// A request to an API server. Credentials and the user agent are added by the client.
struct ApiRequest {
  std::string method = "GET";
  std::string path = {};  // "/api/v1/pods?limit=500", percent-encoded; without the server's own prefix
  std::string body = {};
  std::string content_type = {};  // of the body
  std::string accept = std::string(kJson);
  // Asked when it is its turn: false ends the request as NotSent. Asked again before every write of some of it: false
  // breaks the connection.
  std::function<bool()> may_send = {};
  // The whole exchange ends by then, counted from the moment it may be sent. None: it may last for ever, as a watch.
  std::optional<Duration> timeout = std::chrono::seconds(30);
  // Counts it from the call instead, so with the wait for the rate limit: a request whose turn would come too late ends
  // as NotSent at once, and delays no other.
  bool timeout_covers_wait = false;
  // A longer answer is not taken: more than any Status, single object or page has.
  size_t max_answer = size_t{64} << 20U;
};

// What became of a request.
struct ApiResponse {
  net::ExchangeEnd end = net::ExchangeEnd::Complete;
  net::ResponseHead head = {};
  std::string body = {};
  std::string error = {};  // unless Complete
  bool too_large = false;  // the answer was longer than was to be taken, and is not Complete

  bool ok() const { return end == net::ExchangeEnd::Complete && head.status >= 200 && head.status < 300; }
  // How long the server asks to be left alone.
  std::optional<Duration> RetryAfter() const;
};

// What went wrong, as the API server's Status says it, or the network. Ok responses have none.
struct ApiError {
  int status = 0;           // of HTTP; 0 when there was no answer
  std::string reason = {};  // "NotFound", "Conflict", "Expired", …
  std::string message = {};
};
ApiError ErrorOf(const ApiResponse& response);
// The same as an Error: NotFound, AlreadyExists, Conflict, Expired, Unavailable when it may be tried again, Unknown
// when it may have been done, Invalid otherwise.
Error ToError(const ApiResponse& response);

// An exchange as it is counted.
struct ToldExchange {
  std::string_view method;
  std::string_view host;
  std::string_view code;  // the HTTP status as text, or "<error>"
  // What is known when an exchange has ended. One without a timeout is told when its response begins, and takes as long
  // as is wanted.
  struct End {
    Duration took{};                      // from the call, so with the wait for the rate limit
    size_t sent = 0;                      // bytes of the request's body
    std::optional<size_t> received = {};  // bytes of the response's; none: there was no response
  };
  std::optional<End> end = {};
};

// Is told of every exchange, for metrics. Called on the client's loop.
class ApiObserver {
 public:
  virtual ~ApiObserver() = default;
  virtual void Exchanged(const ToldExchange& exchange) = 0;
  // How long a request had to wait because of the rate limit. Watches never do.
  virtual void Throttled(std::string_view method, std::string_view host, Duration waited) = 0;
};

struct ApiClientOptions {
  std::string user_agent = "berth";
  double qps = -1;  // negative: no limit
  int burst = 1;
  net::HttpClientOptions http = {};
};

// Talks to one API server over one HTTP/2 connection of its own, or some of HTTP/1.1. Adds who we are to every request,
// makes a new connection when the client certificate has changed, and asks for fresh credentials after a 401. Nothing
// is tried again. Exec plugins run on the loop: while one runs, this client's loop stands still. On the loop, but for
// construction.
class ApiClient {
 public:
  // Everything lent outlives this; `observer` may be null.
  ApiClient(net::Loop& loop, const ClusterAccess& access, Credentials& credentials, ApiClientOptions options,
            ApiObserver* observer = nullptr);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  using Done = std::function<void(ApiResponse&)>;
  // Collects the response. `done` is never called inside Send, and not at all once the client is destroyed.
  void Send(ApiRequest request, Done done);

  using StreamId = uint64_t;
  // Hands the response to the handler as it comes, whatever its status.
  StreamId Open(ApiRequest request, std::shared_ptr<net::ResponseHandler> handler);
  // The handler hears nothing more.
  void Cancel(StreamId stream);

  // Ends everything, as NotSent or Unknown; what is sent afterwards ends as NotSent.
  void Close();

  const std::string& host() const { return host_; }  // as the server's address was written, for metrics
  net::Loop& loop() { return loop_; }

 private:
  class Exchange;

  // How long the request waits for its turn; none: its turn would come too late.
  std::optional<Duration> TurnOf(const ApiRequest& request, Duration now);
  void Start(StreamId id);
  void FailLater(StreamId id, std::string why);
  void Finish(StreamId id, net::ExchangeEnd end, const std::string& error);
  void Tell(const Exchange& exchange) const;
  // The connection to use with these credentials; makes a new one when the certificate has changed.
  Result<net::HttpClient*> ConnectionFor(const GivenCredentials& given);
  net::Request Complete(const ApiRequest& request, const GivenCredentials& given) const;

  net::Loop& loop_;
  const ClusterAccess access_;
  Credentials& credentials_;
  const ApiClientOptions options_;
  ApiObserver* const observer_;
  const std::string host_;
  RateLimiter limiter_;
  std::shared_ptr<net::HttpClient> connection_;
  uint64_t tls_generation_ = 0;
  StreamId next_ = 1;
  std::unordered_map<StreamId, std::shared_ptr<Exchange>> exchanges_;
  bool closed_ = false;
};

// Sends the request and waits for the response. Any thread but the loop's; the loop must be running.
ApiResponse SendAndWait(ApiClient& client, ApiRequest request);

}  // namespace berth::kube
