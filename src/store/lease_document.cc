// SPDX-License-Identifier: Apache-2.0
#include "store/lease_document.h"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace berth::store {
namespace {

constexpr std::string_view kHolder = R"({"holder":")";
constexpr std::string_view kExpires = R"(","expires":)";

bool NeedsEscape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

bool Skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Consumes what EncodeLease wrote, up to but not including the closing quote.
std::optional<std::string> TakeHolder(std::string_view& text) {
  std::string holder;
  while (!text.empty() && text.front() != '"') {
    if (!Skip(text, "\\u00")) {
      holder += text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned char code = 0;
    if (text.size() < 2 || std::from_chars(text.data(), text.data() + 2, code, 16).ptr != text.data() + 2) return {};
    holder += static_cast<char>(code);
    text.remove_prefix(2);
  }
  return holder;
}

}  // namespace

Key LeaseKey(std::string_view name) { return {"Lease", "", std::string(name)}; }

std::string EncodeLease(std::string_view holder, Timestamp expires) {
  std::string text(kHolder);
  for (const char c : holder) {
    if (NeedsEscape(c)) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text + fmt::format("{}{}}}", kExpires, expires.time_since_epoch().count());
}

Result<Lease> DecodeLease(const Record& record) {
  std::string_view text = *record.value;
  const Error error{ErrorCode::Internal, ToText(record.key) + " does not hold the document of a lease"};
  if (!Skip(text, kHolder)) return error;
  std::optional<std::string> holder = TakeHolder(text);
  if (!holder || !Skip(text, kExpires)) return error;
  int64_t expires = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), expires);
  if (problem != std::errc() || std::string_view(rest, text.data() + text.size()) != "}") return error;
  return Lease{record.key.name, std::move(*holder), record.created, Timestamp(Duration(expires))};
}

}  // namespace berth::store
