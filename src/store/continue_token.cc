// SPDX-License-Identifier: Apache-2.0
#include "store/continue_token.h"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace berth::store {
namespace {

// Consumes a number and the colon that follows it.
template <typename Number>
std::optional<Number> TakeNumber(std::string_view& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest == end || *rest != ':') return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - text.data()) + 1);
  return number;
}

}  // namespace

std::string EncodeContinueToken(const ContinueToken& token) {
  const Key& key = token.after;
  return fmt::format("{}:{}:{}:", token.revision, key.kind.size(), key.namespace_.size()) + key.kind + key.namespace_ +
         key.name;
}

Result<ContinueToken> DecodeContinueToken(std::string_view text) {
  std::string_view rest = text;
  const auto revision = TakeNumber<Revision>(rest);
  const auto kind = revision ? TakeNumber<size_t>(rest) : std::nullopt;
  const auto space = kind ? TakeNumber<size_t>(rest) : std::nullopt;
  if (!space || *revision <= 0 || *kind > rest.size() || *space > rest.size() - *kind) {
    return InvalidError("continue token was not made by this store");
  }
  Key after{std::string(rest.substr(0, *kind)), std::string(rest.substr(*kind, *space)),
            std::string(rest.substr(*kind + *space))};
  return ContinueToken{*revision, std::move(after)};
}

}  // namespace berth::store
