// SPDX-License-Identifier: Apache-2.0
#include "serve/authorizer.h"

#include "api/document.h"
#include "serve/answers.h"
#include "serve/review_documents.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::serve {
namespace {

constexpr size_t kDecisionsKept = 8'192;
// What users make up must not fill the memory.
constexpr size_t kLongestKept = 10'000;

std::string_view WithoutSlash(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

std::string AccessReviewOf(const User& user, const std::string& verb, const std::string& path) {
  api::Value attributes = api::Value::Map();
  attributes.Set("path", api::Value::String(path));
  attributes.Set("verb", api::Value::String(verb));
  api::Value spec = api::Value::Map();
  spec.Set("nonResourceAttributes", std::move(attributes));
  spec.Set("user", api::Value::String(user.name));
  if (!user.groups.empty()) spec.Set("groups", ListOf(user.groups));
  if (!user.extra.empty()) {
    api::Value extra = api::Value::Map();
    for (const auto& [key, values] : user.extra) extra.Set(key, ListOf(values));
    spec.Set("extra", std::move(extra));
  }
  if (!user.uid.empty()) spec.Set("uid", api::Value::String(user.uid));
  return ReviewText("authorization.k8s.io/v1", "SubjectAccessReview", std::move(spec));
}

Decision ReadDecision(const kube::ApiResponse& response) {
  const Result<api::Value> status = ReviewStatus(response);
  if (!status) return {.error = status.error().message};
  Decision decision{.reason = TextAt(*status, "reason")};
  const bool allowed = IsTrueAt(*status, "allowed");
  const bool denied = IsTrueAt(*status, "denied");
  if (allowed && denied) decision.error = "webhook subject access review returned both allow and deny response";
  decision.allowed = allowed && !denied;
  return decision;
}

}  // namespace

Result<AllowedPaths> AllowedPaths::Make(const std::vector<std::string>& paths) {
  AllowedPaths allowed;
  for (const std::string& path : paths) {
    const std::string_view rest = WithoutSlash(path);
    if (rest.find('*') < rest.size() - (rest.empty() ? 0 : 1)) {
      return InvalidError(fmt::format("only trailing * allowed in {}", GoQuoted(rest)));
    }
    if (rest.ends_with('*')) {
      allowed.prefixes_.emplace_back(rest.substr(0, rest.size() - 1));
    } else {
      allowed.exact_.emplace(rest);
    }
  }
  return allowed;
}

bool AllowedPaths::Allows(std::string_view path) const {
  const std::string_view rest = WithoutSlash(path);
  if (exact_.contains(rest)) return true;
  return std::any_of(prefixes_.begin(), prefixes_.end(),
                     [&](const std::string& prefix) { return rest.starts_with(prefix); });
}

Authorizer::Authorizer(AuthorizerOptions options, AllowedPaths paths, ReviewClient* client,
                       std::function<Duration()> now, log::Logger log)
    : options_(std::move(options)),
      paths_(std::move(paths)),
      client_(client),
      now_(std::move(now)),
      log_(std::move(log)),
      cache_(kDecisionsKept) {}

Result<std::unique_ptr<Authorizer>> Authorizer::Make(AuthorizerOptions options, ReviewClient* client,
                                                     std::function<Duration()> now, log::Logger log) {
  BERTH_ASSIGN_OR_RETURN(AllowedPaths paths, AllowedPaths::Make(options.always_allow_paths));
  if (client == nullptr) {
    log.Warning("No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.");
  }
  return std::unique_ptr<Authorizer>(
      new Authorizer(std::move(options), std::move(paths), client, std::move(now), std::move(log)));
}

void Authorizer::Authorize(const User& user, const std::string& verb, const std::string& path, Done done) {
  const std::vector<std::string>& groups = options_.always_allow_groups;
  const bool privileged = std::any_of(user.groups.begin(), user.groups.end(), [&](const std::string& group) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  });
  if (privileged || paths_.Allows(path)) return done({.allowed = true});
  if (client_ == nullptr) return done({});
  std::string review = AccessReviewOf(user, verb, path);
  if (const auto known = cache_.Find(review, now_())) return done(*known);
  if (waiting_ == kMostReviews) return done({.error = "too many access reviews are under way"});
  Ask(std::move(review), verb.size() + path.size() < kLongestKept, std::move(done));
}

void Authorizer::Ask(std::string review, bool keep, Done done) {
  ++waiting_;
  kube::ApiRequest request{.method = "POST",
                           .path = "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                           .body = review,
                           .content_type = std::string(kube::kJson)};
  client_->Send(std::move(request),
                [this, keep, review = std::move(review), done = std::move(done)](kube::ApiResponse& response) {
                  --waiting_;
                  done(TakeResponse(review, keep, response));
                });
}

Decision Authorizer::TakeResponse(const std::string& review, bool keep, const kube::ApiResponse& response) {
  Decision decision = ReadDecision(response);
  if (!response.ok()) {
    // Whoever asks for paths must not fill the log.
    problems_.Report(log_, std::to_string(response.head.status), "Failed to make webhook authorizer request",
                     {{"error", decision.error}});
  } else if (keep) {
    cache_.Set(review, decision, now_(), decision.allowed ? options_.allowed_ttl : options_.denied_ttl);
  }
  return decision;
}

}  // namespace berth::serve
