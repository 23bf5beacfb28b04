// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::serve {

// One alternative of an Accept header: "application/json;v=v1beta1;q=0.5".
struct AcceptClause {
  std::string type = {};
  std::string subtype = {};
  double quality = 1;
  std::map<std::string, std::string, std::less<>> parameters = {};  // without the quality
};

// The best first, as API servers read the header: what is not understood is passed over.
std::vector<AcceptClause> ParseAccept(std::string_view header);

// A kind that a client wants to be answered with: "application/json;g=config.k8s.io;v=v1beta1;as=Statusz".
struct WantedKind {
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  bool operator==(const WantedKind&) const = default;
};

// What both sides agree on.
struct Negotiated {
  std::string media_type = {};
  std::optional<WantedKind> kind = {};
  bool pretty = false;
};

// What is offered, the best first: a media type with the kinds it can carry. Without any, it carries what has no kind
// to be chosen.
struct Offer {
  std::string media_type = {};
  std::vector<WantedKind> kinds = {};
};

// None: the client accepts nothing of it. An empty header accepts the first offer.
std::optional<Negotiated> Negotiate(std::string_view header, std::span<const Offer> offers);

}  // namespace berth::serve
