// SPDX-License-Identifier: Apache-2.0
#include "api/taint.h"

#include <algorithm>
#include <charconv>

namespace berth::api {
namespace {

// A number in the only form that comparisons accept: no sign but a minus, no leading zeros.
std::optional<int64_t> CanonicalNumber(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || (digits.front() == '0' && text != "0")) return std::nullopt;
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool Unchanged(std::span<const Taint> before, std::span<const Taint> after) {
  return std::ranges::equal(before, after, [](const Taint& a, const Taint& b) { return a == b && a.added == b.added; });
}

bool Toleration::Tolerates(const Taint& taint, bool may_compare) const {
  if (effect != TaintEffect::None && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op.empty() || op == "Equal") return value == taint.value;
  if (op == "Exists") return true;
  if (!may_compare || (op != "Lt" && op != "Gt")) return false;
  const std::optional<int64_t> limit = CanonicalNumber(value);
  const std::optional<int64_t> number = CanonicalNumber(taint.value);
  if (!limit || !number) return false;
  return op == "Lt" ? *number < *limit : *number > *limit;
}

bool Tolerated(const Taint& taint, std::span<const Toleration> tolerations, bool may_compare) {
  return std::ranges::any_of(tolerations, [&](const Toleration& t) { return t.Tolerates(taint, may_compare); });
}

}  // namespace berth::api
