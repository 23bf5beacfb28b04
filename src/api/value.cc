// SPDX-License-Identifier: Apache-2.0
#include "api/value.h"

namespace berth::api {

Value Value::Bool(bool value, Position at) {
  Value result(Kind::Bool, at);
  result.content_.emplace<std::string>(value ? "true" : "false");
  return result;
}

Value Value::Int(int64_t value, Position at) { return Number(Kind::Int, std::to_string(value), at); }

Value Value::Number(Kind kind, std::string spelling, Position at) {
  Value result(kind, at);
  result.content_.emplace<std::string>(std::move(spelling));
  return result;
}

Value Value::String(std::string text, Position at) {
  Value result(Kind::String, at);
  result.content_.emplace<std::string>(std::move(text));
  return result;
}

Value Value::List() { return List(Items()); }

Value Value::List(Items items, Position at) {
  Value result(Kind::List, at);
  result.content_.emplace<Items>(std::move(items));
  return result;
}

Value Value::Map() { return Map(Members()); }

Value Value::Map(Members members, Position at) {
  Value result(Kind::Map, at);
  result.content_.emplace<Members>(std::move(members));
  return result;
}

const std::string& Value::text() const {
  static const std::string kEmpty;
  const auto* text = std::get_if<std::string>(&content_);
  return text != nullptr ? *text : kEmpty;
}

const Value::Items& Value::items() const {
  static const Items kEmpty;
  const auto* items = std::get_if<Items>(&content_);
  return items != nullptr ? *items : kEmpty;
}

const Value::Members& Value::members() const {
  static const Members kEmpty;
  const auto* members = std::get_if<Members>(&content_);
  return members != nullptr ? *members : kEmpty;
}

const Value* Value::Find(std::string_view key) const {
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

void Value::Set(std::string_view key, Value value) {
  if (is_null()) *this = Map({}, position_);
  for (Member& member : mutable_members()) {
    if (member.key == key) {
      member.value = std::move(value);
      return;
    }
  }
  mutable_members().push_back({std::string(key), std::move(value), {}});
}

void Value::Append(Value value) {
  if (is_null()) *this = List({}, position_);
  mutable_items().push_back(std::move(value));
}

std::string_view KindName(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::Null: return "null";
    case Value::Kind::Bool: return "bool";
    case Value::Kind::Int: return "integer";
    case Value::Kind::Float: return "number";
    case Value::Kind::String: return "string";
    case Value::Kind::List: return "list";
    case Value::Kind::Map: return "map";
  }
  return "unknown";
}

}  // namespace berth::api
