// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "net/server_message.h"
#include "serve/negotiation.h"

#include <span>
#include <string>
#include <string_view>

namespace berth::serve {

// Plain text with a line end; errors also say that nobody should guess another type.
net::ServerResponse TextAnswer(int status, std::string text);
net::ServerResponse ErrorAnswer(int status, std::string_view text);
net::ServerResponse NotFoundAnswer();

// Whether the client is a person's, or asks for line breaks.
bool WantsPretty(const net::ServerRequest& request);
// As Go writes JSON, so that no browser takes it for HTML.
std::string GoJson(const api::Value& value, bool pretty);
// Members in alphabetical order.
std::string GoYaml(const api::Value& value);
// As Go's %q writes it.
std::string GoQuoted(std::string_view text);

// A failure as API servers tell it: a Status, in the form that the client accepts.
struct Failure {
  int code = 500;
  std::string reason = {};  // "Forbidden"
  std::string message = {};
  bool details = false;  // it has some, which say nothing
};
net::ServerResponse FailureAnswer(const net::ServerRequest& request, const Failure& failure,
                                  std::span<const Offer> offers);
// The same among JSON and YAML.
net::ServerResponse FailureAnswer(const net::ServerRequest& request, const Failure& failure);

net::ServerResponse UnauthorizedAnswer(const net::ServerRequest& request);
// `reason` is the authorizer's, and may be empty.
net::ServerResponse ForbiddenAnswer(const net::ServerRequest& request, std::string_view user, std::string_view verb,
                                    std::string_view reason);
// Whoever should have judged the request could not.
net::ServerResponse InternalErrorAnswer(const net::ServerRequest& request, std::string_view problem);

}  // namespace berth::serve
