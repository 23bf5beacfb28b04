// SPDX-License-Identifier: Apache-2.0
#include "config/convert/edit.h"

#include <algorithm>

namespace berth::config {

using api::Value;

namespace {

Value* OfKindIn(Value& map, std::string_view key, Value (*make)()) {
  if (!map.is_map()) return nullptr;
  Value* value = FindIn(map, key);
  if (value == nullptr || value->is_null()) {
    map.Set(key, make());
    value = FindIn(map, key);
  }
  return value->kind() == make().kind() ? value : nullptr;
}

}  // namespace

Value* FindIn(Value& map, std::string_view key) {
  if (!map.is_map()) return nullptr;
  for (Value::Member& member : map.mutable_members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Value Take(Value& map, std::string_view key) {
  if (!map.is_map()) return Value::Null();
  Value::Members& members = map.mutable_members();
  const auto found = std::ranges::find(members, key, &Value::Member::key);
  if (found == members.end()) return Value::Null();
  Value value = std::move(found->value);
  members.erase(found);
  return value;
}

Value* MapIn(Value& map, std::string_view key) {
  return OfKindIn(map, key, [] { return Value::Map(); });
}

Value* ListIn(Value& map, std::string_view key) {
  return OfKindIn(map, key, [] { return Value::List(); });
}

std::string TextIn(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value != nullptr && value->is_string() ? value->text() : "";
}

std::string NameOf(const Value& entry) { return TextIn(entry, "name"); }

Value NamedEntry(std::string_view name, int64_t weight) {
  Value entry = Value::Map();
  entry.Set("name", Value::String(std::string(name)));
  if (weight != 0) entry.Set("weight", Value::Int(weight));
  return entry;
}

std::string Shown(const Value& value) { return value.is_map() || value.is_list() ? "…" : value.text(); }

}  // namespace berth::config
