// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/server_message.h"
#include "serve/client_authorities.h"
#include "serve/token_reviews.h"
#include "serve/user.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::serve {

// Finds out who sends a request: a front proxy speaks for someone, a certificate names its owner, a bearer token is
// shown to the API server. Who shows nothing is anonymous; who shows something that is not believed is nobody. On the
// loop.
class Authenticator {
 public:
  // What is lent outlives this. Without `tokens`, bearer tokens are ignored.
  Authenticator(const ClientAuthorities& authorities, TokenReviews* tokens)
      : authorities_(authorities), tokens_(tokens) {}

  // The error says, for the log, what was not believed.
  using Done = std::function<void(Result<User>)>;
  void Authenticate(const net::ServerRequest& request, Done done) const;

 private:
  // None: it is not said this way.
  Result<std::optional<User>> SpokenFor(const net::ServerRequest& request) const;
  Result<std::optional<User>> Certified(const net::ServerRequest& request) const;

  const ClientAuthorities& authorities_;
  TokenReviews* const tokens_;
};

}  // namespace berth::serve
