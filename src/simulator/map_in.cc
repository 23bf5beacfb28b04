// SPDX-License-Identifier: Apache-2.0
#include "simulator/map_in.h"

#include <algorithm>

namespace berth::simulator {

using api::Value;

Value& MapIn(Value& document, std::string_view key) {
  if (const Value* found = document.Find(key); found == nullptr || !found->is_map()) document.Set(key, Value::Map());
  return std::ranges::find(document.mutable_members(), key, &Value::Member::key)->value;
}

}  // namespace berth::simulator
