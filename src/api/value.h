// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace berth::api {

// Where something stands in its source text; lines and columns count from 1, 0 means unknown.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;
};

// A node of a JSON or YAML document, kept whole: member order, number spelling and positions survive.
// Typed views (Pod, Node, …) are decoded from it; what they do not read is not lost.
class Value {
 public:
  // Nothing in the class body may make or destroy a Value: Member is incomplete there, and clang looks.
  enum class Kind : uint8_t { Null, Bool, Int, Float, String, List, Map };
  struct Member;
  using Items = std::vector<Value>;
  using Members = std::vector<Member>;

  Value() = default;  // null
  static Value Null(Position at = {});
  static Value Bool(bool value, Position at = {});
  static Value Int(int64_t value, Position at = {});
  // A number by its spelling; `kind` is Int or Float.
  static Value Number(Kind kind, std::string spelling, Position at = {});
  static Value String(std::string text, Position at = {});
  static Value List();
  static Value List(Items items, Position at = {});
  static Value Map();
  static Value Map(Members members, Position at = {});

  Kind kind() const { return kind_; }
  Position position() const { return position_; }
  bool is_null() const { return kind_ == Kind::Null; }
  bool is_string() const { return kind_ == Kind::String; }
  bool is_list() const { return kind_ == Kind::List; }
  bool is_map() const { return kind_ == Kind::Map; }

  // The scalar's text: a string's content, a number's spelling, "true"/"false"; empty for the other kinds.
  const std::string& text() const;
  bool bool_value() const { return kind_ == Kind::Bool && text() == "true"; }
  // The elements of a list, the members of a map; empty for the other kinds.
  const Items& items() const;
  const Members& members() const;
  // The member of that name, or null when this is no map or has no such member.
  const Value* Find(std::string_view key) const;

  // Editing, for documents that Berth writes.
  void Set(std::string_view key, Value value);  // replaces or appends; turns a null into a map
  void Append(Value value);                     // turns a null into a list
  Items& mutable_items() { return std::get<Items>(content_); }
  Members& mutable_members() { return std::get<Members>(content_); }

 private:
  Value(Kind kind, Position at);

  std::variant<std::monostate, std::string, Items, Members> content_;
  Position position_;
  Kind kind_ = Kind::Null;
};

struct Value::Member {
  std::string key;
  Value value;
  Position key_position;
};

inline Value::Value(Kind kind, Position at) : position_(at), kind_(kind) {}
inline Value Value::Null(Position at) { return {Kind::Null, at}; }

// "null", "bool", "integer", "number", "string", "list", "map": for messages.
std::string_view KindName(Value::Kind kind);

}  // namespace berth::api
