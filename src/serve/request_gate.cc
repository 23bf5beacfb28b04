// SPDX-License-Identifier: Apache-2.0
#include "serve/request_gate.h"

#include "serve/answers.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace berth::serve {
namespace {

bool IsAnonymous(const User& user) {
  // Without a name, it was not believed.
  return user.name.empty() || user.name == kAnonymous ||
         std::find(user.groups.begin(), user.groups.end(), kAllUnauthenticated) != user.groups.end();
}

bool Refuses(const Route& route, const std::string& method) {
  return !route.methods.empty() && std::find(route.methods.begin(), route.methods.end(), method) == route.methods.end();
}

}  // namespace

struct RequestGate::Passage {
  Call call;
  const Route* route = nullptr;
  std::string verb = {};
  net::Responder respond;
  std::chrono::steady_clock::time_point received = std::chrono::steady_clock::now();
};

RequestGate::RequestGate(const Authenticator& authenticator, Authorizer& authorizer, const Router& router,
                         log::Logger log)
    : authenticator_(authenticator), authorizer_(authorizer), router_(router), log_(std::move(log)) {}

void RequestGate::Take(net::ServerRequest request, net::Responder respond) {
  auto passage =
      std::make_shared<Passage>(Passage{.call = {.request = std::move(request)}, .respond = std::move(respond)});
  const net::ServerRequest& taken = passage->call.request;
  passage->route = router_.Find(taken.path);
  passage->verb =
      passage->route != nullptr && !passage->route->verb.empty() ? passage->route->verb : net::LowerCase(taken.method);
  authenticator_.Authenticate(taken, [this, passage](Result<User> user) { Authenticated(passage, std::move(user)); });
}

void RequestGate::Authenticated(const std::shared_ptr<Passage>& passage, Result<User> user) {
  if (!user) {
    // By host, so that a stranger who goes on and on does not fill the log.
    const std::string& remote = passage->call.request.remote;
    problems_.Report(log_, remote.substr(0, remote.rfind(':')), "Unable to authenticate the request",
                     {{"srcIP", remote}, {"error", user.error().message}});
    return ReplyTo(*passage)(UnauthorizedAnswer(passage->call.request));
  }
  if (!passage->respond.wanted()) return;
  passage->call.user = *std::move(user);
  authorizer_.Authorize(passage->call.user, passage->verb, passage->call.request.path,
                        [this, passage](const Decision& decision) { Authorized(passage, decision); });
}

void RequestGate::Authorized(const std::shared_ptr<Passage>& passage, const Decision& decision) {
  const net::ServerRequest& request = passage->call.request;
  if (!decision.allowed) {
    if (!decision.error.empty()) return ReplyTo(*passage)(InternalErrorAnswer(request, decision.error));
    log_.V(4).Info("Forbidden", {{"URI", request.target}, {"reason", decision.reason}});
    return ReplyTo(*passage)(ForbiddenAnswer(request, passage->call.user.name, passage->verb, decision.reason));
  }
  const Route* route = passage->route;
  if (route == nullptr) return ReplyTo(*passage)(NotFoundAnswer());
  if (Refuses(*route, request.method)) {
    net::ServerResponse refusal = ErrorAnswer(405, "Method Not Allowed");
    refusal.headers.emplace_back("allow", fmt::format("{}", fmt::join(route->methods, ", ")));
    return ReplyTo(*passage)(std::move(refusal));
  }
  Reply reply = ReplyTo(*passage);
  route->handler(std::move(passage->call), std::move(reply));
}

// Adds what all answers have, and tells the log.
Reply RequestGate::ReplyTo(const Passage& passage) const {
  const net::ServerRequest& request = passage.call.request;
  // HTTP/2 lets strangers ask for much at little cost: they get one answer.
  const bool last = request.http_major == 2 && IsAnonymous(passage.call.user);
  log::Logger log;
  std::string agent;
  if (log_.On(3)) {
    log = log_;
    agent = request.Header("user-agent");
  }
  return [last, log, agent, respond = passage.respond, received = passage.received, method = request.method,
          target = request.target, remote = request.remote](net::ServerResponse response) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - received;
    log.V(3).Info("HTTP", {{"verb", method},
                           {"URI", target},
                           {"latency", took.count()},
                           {"userAgent", agent},
                           {"srcIP", remote},
                           {"resp", response.status}});
    response.headers.insert(response.headers.begin(), {"cache-control", "no-cache, private"});
    if (last) response.headers.emplace_back("connection", "close");
    respond(std::move(response));
  };
}

}  // namespace berth::serve
