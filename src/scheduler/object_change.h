// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "store/record.h"

#include <cstdint>

namespace berth::scheduler {

// One object as the store now has it, decoded. For Deleted, its last state.
struct ObjectChange {
  enum class Type : uint8_t { Set, Deleted };
  Type type = Type::Set;
  api::Object object;
  store::Revision revision = 0;
};

}  // namespace berth::scheduler
