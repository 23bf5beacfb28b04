// SPDX-License-Identifier: Apache-2.0
#include "kube/client/test_api_server.h"

#include "base/check.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {

AskedRequest::AskedRequest(net::TestServer& server, std::shared_ptr<net::ServerStream> stream)
    : server_(&server), stream_(std::move(stream)), request_(stream_->request), client_name_(stream_->client_name) {}

std::vector<std::string> AskedRequest::Header(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : request_.headers) {
    if (key == name) values.push_back(value);
  }
  return values;
}

void AskedRequest::Answer(int status, std::string body, net::Headers headers) const {
  server_->Post([stream = stream_, status, body = std::move(body), headers = std::move(headers)] {
    stream->Respond(status, body, headers);
  });
}

void AskedRequest::Refuse(int code, const std::string& reason, const std::string& message, int retry_after) const {
  net::Headers headers = {{"content-type", "application/json"}};
  if (retry_after > 0) headers.emplace_back("retry-after", std::to_string(retry_after));
  Answer(code, StatusJson(code, reason, message), std::move(headers));
}

void AskedRequest::Begin(const std::string& content_type) const {
  server_->Post([stream = stream_, content_type] { stream->Begin(200, {{"content-type", content_type}}); });
}

void AskedRequest::Write(std::string piece) const {
  server_->Post([stream = stream_, piece = std::move(piece)] { stream->Write(piece); });
}

void AskedRequest::Finish() const {
  server_->Post([stream = stream_] { stream->Finish(); });
}

TestApiServer::TestApiServer(net::TestServerOptions options)
    : tls_(options.tls.has_value()), server_(std::move(options), [this](const auto& stream) { Take(stream); }) {}

void TestApiServer::Take(const std::shared_ptr<net::ServerStream>& stream) {
  const MutexLock lock(mutex_);
  untaken_.emplace_back(server_, stream);
  came_.NotifyAll();
}

ClusterAccess TestApiServer::access() const {
  ClusterAccess access;
  access.server.tls = tls_;
  access.server.host = "127.0.0.1";
  access.server.port = server_.port();
  access.server.http2_in_clear = true;
  return access;
}

AskedRequest TestApiServer::Expect(std::string_view method, std::string_view path) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const MutexLock lock(mutex_);
  while (true) {
    const auto found = std::ranges::find_if(untaken_, [&](const AskedRequest& request) {
      return request.method() == method && request.path().starts_with(path);
    });
    if (found != untaken_.end()) {
      AskedRequest request = std::move(*found);
      untaken_.erase(found);
      return request;
    }
    if (came_.WaitUntil(mutex_, deadline)) continue;
    fmt::print(stderr, "{} {} did not come; but these did:\n", method, path);
    for (const AskedRequest& request : untaken_) fmt::print(stderr, "  {} {}\n", request.method(), request.path());
    BERTH_CHECK(false);
  }
}

std::vector<std::string> TestApiServer::untaken() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> texts;
  for (const AskedRequest& request : untaken_) texts.push_back(request.method() + " " + request.path());
  return texts;
}

std::string StatusJson(int code, const std::string& reason, const std::string& message) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{}","reason":"{}","code":{}}})",
      message, reason, code);
}

}  // namespace berth::kube
