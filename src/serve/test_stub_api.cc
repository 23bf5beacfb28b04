// SPDX-License-Identifier: Apache-2.0
#include "serve/test_stub_api.h"

#include "api/document.h"
#include "base/check.h"
#include "serve/review_documents.h"

#include <algorithm>
#include <utility>

namespace berth::serve {
namespace {

constexpr const char* kTokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr const char* kAccessReviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
constexpr const char* kAuthentication = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

}  // namespace

StubApi::StubApi()
    : server_({}, [this](const std::shared_ptr<net::ServerStream>& stream) {
        const Answer answer = Take(stream->request);
        stream->Respond(answer.status, answer.body, {{"content-type", "application/json"}});
      }) {}

kube::ClusterAccess StubApi::access() const {
  kube::ClusterAccess access;
  access.server.host = "127.0.0.1";
  access.server.port = server_.port();
  access.server.tls = false;
  access.server.http2_in_clear = true;
  return access;
}

void StubApi::SetToken(const std::string& token, const std::string& user, const std::vector<std::string>& groups) {
  const MutexLock lock(mutex_);
  std::erase_if(tokens_, [&](const KnownToken& known) { return known.token == token; });
  tokens_.push_back({token, user, groups});
}

void StubApi::Allow(const std::string& user, const std::string& path) {
  const MutexLock lock(mutex_);
  allowed_.emplace_back(user, path);
}

void StubApi::SetAuthentication(std::vector<std::pair<std::string, std::string>> data) {
  const MutexLock lock(mutex_);
  authentication_ = std::move(data);
}

void StubApi::Fail(int status, int times) {
  const MutexLock lock(mutex_);
  failure_status_ = status;
  failures_ = times;
}

std::vector<api::Value> StubApi::TokenReviews() const {
  const MutexLock lock(mutex_);
  return token_reviews_;
}

std::vector<api::Value> StubApi::AccessReviews() const {
  const MutexLock lock(mutex_);
  return access_reviews_;
}

StubApi::Answer StubApi::Take(const net::Request& request) {
  const MutexLock lock(mutex_);
  if (failures_ > 0) {
    --failures_;
    return {failure_status_, R"({"kind":"Status","message":"the API server refuses","reason":"Stub"})"};
  }
  if (request.path == kAuthentication) {
    if (authentication_.empty()) return {404, R"({"kind":"Status","message":"not found","reason":"NotFound"})"};
    api::Value data = api::Value::Map();
    for (const auto& [key, value] : authentication_) data.Set(key, api::Value::String(value));
    api::Value map = api::Value::Map();
    map.Set("data", std::move(data));
    return {200, api::ToJson(map)};
  }
  const auto documents = api::ReadDocuments(request.body, "review");
  BERTH_CHECK(documents.has_value() && documents->size() == 1);
  const api::Value* spec = documents->front().root.Find("spec");
  BERTH_CHECK(spec != nullptr);
  api::Value review = documents->front().root;
  review.Set("status", Judge(request.path, *spec));
  return {201, api::ToJson(review)};
}

api::Value StubApi::Judge(const std::string& path, const api::Value& spec) {
  api::Value status = api::Value::Map();
  if (path == kTokenReviews) {
    token_reviews_.push_back(spec);
    const auto known = std::find_if(tokens_.begin(), tokens_.end(),
                                    [&](const KnownToken& each) { return each.token == TextAt(spec, "token"); });
    if (known == tokens_.end()) return status;
    if (known->user.starts_with("error ")) {
      status.Set("error", api::Value::String(known->user.substr(6)));
      return status;
    }
    status.Set("authenticated", api::Value::Bool(true));
    api::Value user = api::Value::Map();
    user.Set("username", api::Value::String(known->user));
    user.Set("uid", api::Value::String("uid-" + known->user));
    user.Set("groups", ListOf(known->groups));
    status.Set("user", std::move(user));
    return status;
  }
  BERTH_CHECK(path == kAccessReviews);
  access_reviews_.push_back(spec);
  const std::pair<std::string, std::string> asked(TextAt(spec, "user"),
                                                  TextAt(*spec.Find("nonResourceAttributes"), "path"));
  const bool allowed = std::find(allowed_.begin(), allowed_.end(), asked) != allowed_.end();
  status.Set("allowed", api::Value::Bool(allowed));
  if (!allowed) status.Set("reason", api::Value::String("no rule says so"));
  return status;
}

}  // namespace berth::serve
