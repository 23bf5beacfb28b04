// SPDX-License-Identifier: Apache-2.0
#include "serve/token_reviews.h"

#include "api/document.h"
#include "serve/review_documents.h"

#include <utility>

namespace berth::serve {
namespace {

constexpr size_t kTokensKept = 32'768;

std::string ReviewOf(const std::string& token) {
  api::Value spec = api::Value::Map();
  spec.Set("token", api::Value::String(token));
  return ReviewText("authentication.k8s.io/v1", "TokenReview", std::move(spec));
}

User ReadUser(const api::Value& value) {
  User user{.name = TextAt(value, "username"), .uid = TextAt(value, "uid"), .groups = TextsAt(value, "groups")};
  if (const api::Value* extra = value.Find("extra")) {
    for (const auto& member : extra->members()) user.extra.emplace(member.key, TextsOf(member.value));
  }
  return user;
}

TokenReviews::Answer ReadAnswer(const kube::ApiResponse& response) {
  BERTH_ASSIGN_OR_RETURN(const api::Value status, ReviewStatus(response));
  if (!IsTrueAt(status, "authenticated")) {
    std::string problem = TextAt(status, "error");
    if (!problem.empty()) return InvalidError(std::move(problem));
    return std::optional<User>();
  }
  const api::Value* user = status.Find("user");
  return std::optional<User>(user == nullptr ? User{} : ReadUser(*user));
}

}  // namespace

TokenReviews::TokenReviews(ReviewClient& client, Duration time_to_live, std::function<Duration()> now, log::Logger log)
    : client_(client), time_to_live_(time_to_live), now_(std::move(now)), log_(std::move(log)), cache_(kTokensKept) {}

void TokenReviews::Review(const std::string& token, Done done) {
  const std::string key = digest_.Of(token);
  if (const auto known = cache_.Find(key, now_())) return done(*known);
  if (waiting_count_ == kMostReviews) {
    return done(Error{ErrorCode::Unavailable, "too many token reviews are under way"});
  }
  ++waiting_count_;
  std::vector<Done>& waiting = waiting_[key];
  waiting.push_back(std::move(done));
  if (waiting.size() > 1) return;
  client_.Send({.method = "POST",
                .path = "/apis/authentication.k8s.io/v1/tokenreviews",
                .body = ReviewOf(token),
                .content_type = std::string(kube::kJson)},
               [this, key](kube::ApiResponse& response) { TakeResponse(key, response); });
}

void TokenReviews::TakeResponse(const std::string& key, const kube::ApiResponse& response) {
  if (!response.ok()) {
    // Whoever sends tokens must not fill the log.
    problems_.Report(log_, std::to_string(response.head.status), "Failed to make webhook authenticator request",
                     {{"error", kube::ErrorOf(response).message}});
  }
  Finish(key, ReadAnswer(response));
}

void TokenReviews::Finish(const std::string& key, const Answer& answer) {
  if (answer.has_value()) cache_.Set(key, *answer, now_(), time_to_live_);
  const auto waiting = waiting_.extract(key);
  if (waiting.empty()) return;
  waiting_count_ -= waiting.mapped().size();
  for (const Done& done : waiting.mapped()) done(answer);
}

}  // namespace berth::serve
