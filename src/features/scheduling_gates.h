// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/gate.h"

#include <span>
#include <string_view>

namespace berth::features {

// How Berth treats a gate.
enum class Support : uint8_t {
  Honoured,        // follows the gate
  AlwaysOn,        // behaves as if the gate were on
  AlwaysOff,       // behaves as if it were off, which gives the same decisions
  NotImplemented,  // behaves as if it were off, because the feature is missing
  NoEffect,        // concerns other components only
};
std::string_view SupportName(Support support);  // "honoured", "always on", …

struct SchedulingGate {
  Gate gate;
  std::string_view name;
  Support support = Support::Honoured;
  std::string_view effect;  // what the gate turns on
  std::string_view reason;  // why Berth does not follow the gate, or a remark if it does; may be empty
};

std::span<const SchedulingGate> SchedulingGates();  // in the order of Gate
const SchedulingGate& Describe(Gate gate);

}  // namespace berth::features
