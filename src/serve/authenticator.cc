// SPDX-License-Identifier: Apache-2.0
#include "serve/authenticator.h"

#include "net/request_target.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace berth::serve {
namespace {

// Of names that strangers choose, in messages.
constexpr int kLongestQuoted = 100;

// The first of these headers that says something.
std::string FirstValue(const net::ServerRequest& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::string_view value = request.Header(net::LowerCase(name)); !value.empty()) return std::string(value);
  }
  return {};
}

std::vector<std::string> AllValues(const net::ServerRequest& request, const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& name : names) {
    const std::string lower = net::LowerCase(name);
    for (const auto& [key, value] : request.headers) {
      if (key == lower && !value.empty()) values.push_back(value);
    }
  }
  return values;
}

std::map<std::string, std::vector<std::string>> Extra(const net::ServerRequest& request,
                                                      const std::vector<std::string>& prefixes) {
  std::map<std::string, std::vector<std::string>> extra;
  for (const std::string& prefix : prefixes) {
    const std::string lower = net::LowerCase(prefix);
    for (const auto& [key, value] : request.headers) {
      if (!key.starts_with(lower)) continue;
      const std::string rest = key.substr(lower.size());
      extra[net::PercentDecoded(rest).value_or(rest)].push_back(value);
    }
  }
  return extra;
}

// "Bearer TOKEN"; empty: there is none.
std::string BearerToken(std::string_view authorization) {
  const auto trim = [&] {
    while (authorization.starts_with(' ')) authorization.remove_prefix(1);
    while (authorization.ends_with(' ')) authorization.remove_suffix(1);
  };
  trim();
  const size_t space = authorization.find(' ');
  if (space == std::string_view::npos || net::LowerCase(authorization.substr(0, space)) != "bearer") return {};
  authorization.remove_prefix(space + 1);
  return std::string(authorization.substr(0, authorization.find(' ')));
}

User WithAllAuthenticated(User user) {
  const auto has = [&](std::string_view group) {
    return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
  };
  if (user.name != kAnonymous && !has(kAllAuthenticated) && !has(kAllUnauthenticated)) {
    user.groups.emplace_back(kAllAuthenticated);
  }
  return user;
}

User Anonymous() { return {.name = std::string(kAnonymous), .groups = {std::string(kAllUnauthenticated)}}; }

}  // namespace

Result<std::optional<User>> Authenticator::SpokenFor(const net::ServerRequest& request) const {
  const Authorities& proxies = authorities_.proxies();
  if (request.shown == nullptr || proxies.pool == nullptr) return std::optional<User>();
  BERTH_RETURN_IF_ERROR(proxies.pool->Verify(*request.shown));
  const RequestHeaderNames& names = authorities_.headers();
  const std::vector<std::string>& allowed = names.allowed_names;
  const std::string& proxy = request.shown->common_name();
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), proxy) == allowed.end()) {
    return InvalidError(fmt::format("x509: subject with cn={:.{}} is not in the allowed list", proxy, kLongestQuoted));
  }
  User user{.name = FirstValue(request, names.username)};
  if (user.name.empty()) return std::optional<User>();
  user.uid = FirstValue(request, names.uid);
  user.groups = AllValues(request, names.group);
  user.extra = Extra(request, names.extra_prefix);
  return std::optional<User>(std::move(user));
}

Result<std::optional<User>> Authenticator::Certified(const net::ServerRequest& request) const {
  const Authorities& clients = authorities_.clients();
  if (request.shown == nullptr || clients.pool == nullptr) return std::optional<User>();
  const net::PeerCertificates& shown = *request.shown;
  if (const Result<void> verified = clients.pool->Verify(shown); !verified) {
    return InvalidError(fmt::format("verifying certificate SN={} of {:.{}} failed: {}", shown.Serial(),
                                    shown.common_name(), kLongestQuoted, verified.error().message));
  }
  if (shown.common_name().empty()) return std::optional<User>();
  if (shown.user_uids().size() > 1) return InvalidError("expected 1 UID in the certificate, but found multiple");
  User user{.name = shown.common_name(), .groups = shown.organizations()};
  if (!shown.user_uids().empty()) user.uid = shown.user_uids().front();
  user.extra["authentication.kubernetes.io/credential-id"] = {"X509SHA256=" + shown.fingerprint()};
  return std::optional<User>(std::move(user));
}

void Authenticator::Authenticate(const net::ServerRequest& request, Done done) const {
  std::string problems;
  const auto note = [](std::string& list, const std::string& problem) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", problem);
  };
  for (const auto way : {&Authenticator::SpokenFor, &Authenticator::Certified}) {
    Result<std::optional<User>> found = (this->*way)(request);
    if (!found) {
      note(problems, found.error().message);
    } else if (found->has_value()) {
      return done(WithAllAuthenticated(*std::move(*found)));
    }
  }
  const std::string token = tokens_ == nullptr ? "" : BearerToken(request.Header("authorization"));
  if (token.empty()) return done(problems.empty() ? Result<User>(Anonymous()) : InvalidError(problems));
  tokens_->Review(token, [problems, note, done = std::move(done)](const TokenReviews::Answer& answer) mutable {
    if (answer.has_value() && answer->has_value()) return done(WithAllAuthenticated(**answer));
    note(problems, answer.has_value() ? "invalid bearer token" : answer.error().message);
    done(InvalidError(problems));
  });
}

}  // namespace berth::serve
