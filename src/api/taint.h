// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <optional>
#include <span>
#include <string>

namespace berth::api {

enum class TaintEffect : uint8_t { None, NoSchedule, PreferNoSchedule, NoExecute };

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::None;
  std::optional<Timestamp> added = std::nullopt;
  // Equal whatever the time at which they were added.
  friend bool operator==(const Taint& a, const Taint& b) {
    return a.key == b.key && a.value == b.value && a.effect == b.effect;
  }
};

// Whether nothing of the taints changed, not even when one was added.
bool Unchanged(std::span<const Taint> before, std::span<const Taint> after);

struct Toleration {
  std::string key;  // empty with Exists tolerates every key
  std::string op;   // "", Equal, Exists; Lt and Gt where comparisons are allowed
  std::string value;
  TaintEffect effect = TaintEffect::None;  // None tolerates every effect
  friend bool operator==(const Toleration&, const Toleration&) = default;

  bool Tolerates(const Taint& taint, bool may_compare = false) const;
};

// With `may_compare`, a toleration may also say that the taint's value is a number below (Lt) or above (Gt) its own.
bool Tolerated(const Taint& taint, std::span<const Toleration> tolerations, bool may_compare = false);

}  // namespace berth::api
