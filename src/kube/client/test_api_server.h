// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "kube/access/cluster_access.h"
#include "net/http.h"
#include "net/test_server.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::kube {

// A clock that moves only when advanced. Any thread.
class TestClock final : public Clock {
 public:
  Timestamp Now() const override { return Timestamp(Duration(now_)); }
  void Advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<int64_t> now_ = int64_t{1'780'000'000} * 1'000'000'000;  // 2026-05-28T20:26:40Z
};

// A request that has come to a TestApiServer. Copies are the same request. Any thread.
class AskedRequest {
 public:
  AskedRequest(net::TestServer& server, std::shared_ptr<net::ServerStream> stream);

  const std::string& method() const { return request_.method; }
  const std::string& path() const { return request_.path; }
  const std::string& body() const { return request_.body; }
  // All values of the header, in order.
  std::vector<std::string> Header(std::string_view name) const;
  const std::string& client_name() const { return client_name_; }  // in its certificate

  void Answer(int status, std::string body, net::Headers headers = {{"content-type", "application/json"}}) const;
  // Answers with a Status in JSON, and perhaps a Retry-After.
  void Refuse(int code, const std::string& reason, const std::string& message, int retry_after = 0) const;
  // An answer in pieces.
  void Begin(const std::string& content_type) const;
  void Write(std::string piece) const;
  void Finish() const;

 private:
  net::TestServer* server_;
  std::shared_ptr<net::ServerStream> stream_;  // for the server's thread
  net::Request request_;
  std::string client_name_;
};

// An API server whose answers are given by the test: each request waits until the test takes it. Any thread.
class TestApiServer {
 public:
  explicit TestApiServer(net::TestServerOptions options = {});

  // In clear text, or by TLS without a trusted authority: the test says how that goes.
  ClusterAccess access() const;
  // Takes the oldest request of this method whose path begins like this; waits for it, up to a minute.
  AskedRequest Expect(std::string_view method, std::string_view path) BERTH_EXCLUDES(mutex_);
  // Those that have come and were not taken, as "GET /api/v1/pods".
  std::vector<std::string> untaken() const BERTH_EXCLUDES(mutex_);
  net::TestServer& server() { return server_; }

 private:
  void Take(const std::shared_ptr<net::ServerStream>& stream) BERTH_EXCLUDES(mutex_);

  const bool tls_;
  mutable Mutex mutex_;
  CondVar came_;
  std::deque<AskedRequest> untaken_ BERTH_GUARDED_BY(mutex_);
  net::TestServer server_;
};

// A Status as an API server writes it in JSON.
std::string StatusJson(int code, const std::string& reason, const std::string& message);

}  // namespace berth::kube
