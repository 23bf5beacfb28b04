// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "log/logger.h"
#include "log/repeated_problems.h"
#include "net/digest.h"
#include "serve/expiring_cache.h"
#include "serve/review_client.h"
#include "serve/user.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace berth::serve {

// Whom a bearer token stands for, as the API server says (TokenReview). What it said is believed for a time; that it
// could not be asked is forgotten at once. The same token is asked for once at a time. When too many wait for answers,
// others get an error. On the home loop of the client.
class TokenReviews {
 public:
  // The client outlives this; `now` is the time that caching counts.
  TokenReviews(ReviewClient& client, Duration time_to_live, std::function<Duration()> now, log::Logger log = {});

  // None: nobody. The error says why the server could not tell, or what it finds wrong with the token.
  using Answer = Result<std::optional<User>>;
  using Done = std::function<void(const Answer&)>;
  void Review(const std::string& token, Done done);

 private:
  void TakeResponse(const std::string& key, const kube::ApiResponse& response);
  void Finish(const std::string& key, const Answer& answer);

  ReviewClient& client_;
  const Duration time_to_live_;
  const std::function<Duration()> now_;
  const log::Logger log_;
  log::RepeatedProblems problems_;
  const net::SecretDigest digest_;  // tokens are not kept
  ExpiringCache<std::optional<User>> cache_;
  std::unordered_map<std::string, std::vector<Done>> waiting_;
  size_t waiting_count_ = 0;  // of all tokens
};

}  // namespace berth::serve
