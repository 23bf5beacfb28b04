// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "log/logger.h"
#include "log/repeated_problems.h"
#include "serve/expiring_cache.h"
#include "serve/review_client.h"
#include "serve/user.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace berth::serve {

// Paths that everyone may read. One that ends in * stands for all that begin so; a leading slash may be left out.
class AllowedPaths {
 public:
  static Result<AllowedPaths> Make(const std::vector<std::string>& paths);
  bool Allows(std::string_view path) const;

 private:
  std::set<std::string, std::less<>> exact_;  // without the leading slash
  std::vector<std::string> prefixes_;
};

struct AuthorizerOptions {
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};
  std::vector<std::string> always_allow_groups = {"system:masters"};
  Duration allowed_ttl = std::chrono::seconds(10);
  Duration denied_ttl = std::chrono::seconds(10);
};

// What became of the question whether a user may do something.
struct Decision {
  bool allowed = false;
  std::string reason = {};
  std::string error = {};  // why it could not be answered; nothing is allowed then
};

// Decides who may ask for what: some groups and paths are always allowed; the API server knows the rest
// (SubjectAccessReview), and what it said is believed for a time. When too many wait for its answers, others get an
// error. On the home loop of the client.
class Authorizer {
 public:
  // The client outlives this; without one, nothing else is allowed. `now` is the time that caching counts.
  static Result<std::unique_ptr<Authorizer>> Make(AuthorizerOptions options, ReviewClient* client,
                                                  std::function<Duration()> now, log::Logger log = {});

  using Done = std::function<void(const Decision&)>;
  void Authorize(const User& user, const std::string& verb, const std::string& path, Done done);

 private:
  Authorizer(AuthorizerOptions options, AllowedPaths paths, ReviewClient* client, std::function<Duration()> now,
             log::Logger log);
  void Ask(std::string review, bool keep, Done done);
  Decision TakeResponse(const std::string& review, bool keep, const kube::ApiResponse& response);

  const AuthorizerOptions options_;
  const AllowedPaths paths_;
  ReviewClient* const client_;
  const std::function<Duration()> now_;
  const log::Logger log_;
  log::RepeatedProblems problems_;
  ExpiringCache<Decision> cache_;
  size_t waiting_ = 0;  // for the API server
};

}  // namespace berth::serve
