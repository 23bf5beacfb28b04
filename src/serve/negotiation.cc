// SPDX-License-Identifier: Apache-2.0
#include "serve/negotiation.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace berth::serve {
namespace {

std::string_view TrimSpaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Cuts off what stands before the separator.
std::string_view CutItem(std::string_view& rest, char separator) {
  const std::string_view item = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  return item;
}

double Quality(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? value : 0;
}

void ReadParameters(std::string_view rest, AcceptClause& clause) {
  while (!rest.empty()) {
    std::string_view value = CutItem(rest, ';');
    const std::string_view name = TrimSpaces(CutItem(value, '='));
    if (value.empty() || value.find('=') < value.size() - 1) continue;
    if (value.ends_with('=')) value.remove_suffix(1);
    if (name == "q") {
      clause.quality = Quality(value);
    } else {
      clause.parameters.insert_or_assign(std::string(name), std::string(TrimSpaces(value)));
    }
  }
}

std::optional<AcceptClause> ReadClause(std::string_view text) {
  text = TrimSpaces(text);
  std::string_view type = CutItem(text, ';');
  AcceptClause clause;
  clause.type = TrimSpaces(CutItem(type, '/'));
  if (type.empty()) {
    if (clause.type != "*") return std::nullopt;
    clause.subtype = "*";
  } else {
    clause.subtype = TrimSpaces(CutItem(type, '/'));
    if (!type.empty()) return std::nullopt;
  }
  ReadParameters(text, clause);
  return clause;
}

bool Matches(const AcceptClause& clause, std::string_view media_type) {
  const std::string_view type = CutItem(media_type, '/');
  if (clause.type == "*") return clause.subtype == "*";
  return clause.type == type && (clause.subtype == media_type || clause.subtype == "*");
}

// What of the offer the clause's parameters leave; none: nothing.
std::optional<Negotiated> Agree(const AcceptClause& clause, const Offer& offer) {
  Negotiated agreed{.media_type = offer.media_type};
  WantedKind wanted;
  bool wants_kind = false;
  for (const auto& [name, value] : clause.parameters) {
    if (name == "as" || name == "g" || name == "v") {
      wants_kind = true;
      (name == "as" ? wanted.kind : name == "g" ? wanted.group : wanted.version) = value;
    } else if (name == "stream" || name == "sv") {
      if (!value.empty()) return std::nullopt;
    } else if (name == "pretty") {
      agreed.pretty = value == "1";
    }
  }
  if (wants_kind) {
    if (std::find(offer.kinds.begin(), offer.kinds.end(), wanted) == offer.kinds.end()) return std::nullopt;
    agreed.kind = std::move(wanted);
  } else if (!offer.kinds.empty()) {
    return std::nullopt;
  }
  return agreed;
}

}  // namespace

std::vector<AcceptClause> ParseAccept(std::string_view header) {
  std::vector<AcceptClause> clauses;
  while (!header.empty()) {
    if (auto clause = ReadClause(CutItem(header, ','))) clauses.push_back(std::move(*clause));
  }
  std::stable_sort(clauses.begin(), clauses.end(), [](const AcceptClause& left, const AcceptClause& right) {
    if (left.quality != right.quality) return left.quality > right.quality;
    if ((left.type == "*") != (right.type == "*")) return right.type == "*";
    return left.subtype != "*" && right.subtype == "*";
  });
  return clauses;
}

std::optional<Negotiated> Negotiate(std::string_view header, std::span<const Offer> offers) {
  if (header.empty() && !offers.empty()) return Negotiated{.media_type = offers.front().media_type};
  for (const AcceptClause& clause : ParseAccept(header)) {
    for (const Offer& offer : offers) {
      if (!Matches(clause, offer.media_type)) continue;
      if (auto agreed = Agree(clause, offer)) return agreed;
    }
  }
  return std::nullopt;
}

}  // namespace berth::serve
