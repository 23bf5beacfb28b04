// SPDX-License-Identifier: Apache-2.0
#include "api/taint.h"

#include <algorithm>

namespace berth::api {

bool Unchanged(std::span<const Taint> before, std::span<const Taint> after) {
  return std::ranges::equal(before, after, [](const Taint& a, const Taint& b) { return a == b && a.added == b.added; });
}

bool Toleration::Tolerates(const Taint& taint) const {
  if (effect != TaintEffect::None && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op.empty() || op == "Equal") return value == taint.value;
  return op == "Exists";  // Lt and Gt belong to a feature gate that is off by default
}

bool Tolerated(const Taint& taint, std::span<const Toleration> tolerations) {
  return std::ranges::any_of(tolerations, [&](const Toleration& t) { return t.Tolerates(taint); });
}

}  // namespace berth::api
