// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"

#include <cstdint>

namespace berth::home {

// One object as its home now has it, decoded. For Deleted, its last state.
struct ObjectChange {
  enum class Type : uint8_t { Set, Deleted };
  Type type = Type::Set;
  api::Object object;
};

}  // namespace berth::home
