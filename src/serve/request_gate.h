// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log/logger.h"
#include "log/repeated_problems.h"
#include "net/http_server.h"
#include "serve/authenticator.h"
#include "serve/authorizer.h"
#include "serve/router.h"

#include <memory>

namespace berth::serve {

// What every request passes: who sends it, may they, who answers. On the loop.
class RequestGate {
 public:
  // Everything lent outlives this.
  RequestGate(const Authenticator& authenticator, Authorizer& authorizer, const Router& router, log::Logger log);

  void Take(net::ServerRequest request, net::Responder respond);

 private:
  struct Passage;  // a request on its way through
  void Authenticated(const std::shared_ptr<Passage>& passage, Result<User> user);
  void Authorized(const std::shared_ptr<Passage>& passage, const Decision& decision);
  Reply ReplyTo(const Passage& passage) const;

  const Authenticator& authenticator_;
  Authorizer& authorizer_;
  const Router& router_;
  const log::Logger log_;
  log::RepeatedProblems problems_;
};

}  // namespace berth::serve
