// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/gate.h"

#include <span>
#include <string_view>

namespace berth::features {

// What Berth makes of a gate.
enum class Support : uint8_t {
  Honoured,        // behaves as the gate says
  AlwaysOn,        // behaves as if the gate were on
  AlwaysOff,       // behaves as if it were off, and decides the same all the same
  NotImplemented,  // behaves as if it were off, because what the gate stands for is missing
  NoEffect,        // other components act on it; a scheduler has nothing to do
};
std::string_view SupportName(Support support);  // "honoured", "always on", …

struct SchedulingGate {
  Gate gate;
  std::string_view name;
  Support support = Support::Honoured;
  std::string_view effect;  // what the gate turns on
  std::string_view reason;  // why Berth does not follow, or what to know when it does; may be empty
};

std::span<const SchedulingGate> SchedulingGates();  // in the order of Gate
const SchedulingGate& Describe(Gate gate);

}  // namespace berth::features
