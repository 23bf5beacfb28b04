// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/read_proto.h"

#include "api/source_text.h"
#include "api/time_text.h"
#include "kube/proto/scan.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::kube::proto {
namespace {

using api::Value;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using Members = Value::Members;

pbf_wire_type WireTypeOf(FieldType type) {
  const bool is_number = type == FieldType::Bool || type == FieldType::Int32 || type == FieldType::Int64;
  return is_number ? pbf_wire_type::varint : pbf_wire_type::length_delimited;
}

std::string_view TakeBytes(pbf_reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

// True for what means the same as no member at all.
bool IsZero(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Bool: return !value.bool_value();
    case Value::Kind::Int: return value.text() == "0";
    case Value::Kind::String: return value.text().empty();
    default: return value.is_null();
  }
}

// The last of several entries with one key counts.
void SortEntries(Members& entries) {
  std::ranges::stable_sort(entries, {}, &Value::Member::key);
  const auto same_key = [](const Value::Member& a, const Value::Member& b) { return a.key == b.key; };
  entries.erase(entries.begin(), std::unique(entries.rbegin(), entries.rend(), same_key).base());
}

void SortMaps(const Message& message, Members& members) {
  for (const Field& field : message.fields) {
    if (field.shape != FieldShape::Map) continue;
    const auto it = std::ranges::find(members, field.name, &Value::Member::key);
    if (it != members.end()) SortEntries(it->value.mutable_members());
  }
}

// Where a message's field is in its table, or the table's size. Kubernetes writes fields by ascending number, so those
// before `next` are rarely asked for, except the last one when it is a list.
size_t FindField(std::span<const Field> fields, uint32_t number, size_t next) {
  if (next > 0 && fields[next - 1].number >= number) next = fields[next - 1].number == number ? next - 1 : 0;
  while (next < fields.size() && fields[next].number < number) ++next;
  return next < fields.size() && fields[next].number == number ? next : fields.size();
}

// The member of that name. `may_exist` is false when there cannot be one yet, which saves looking.
Value& Slot(Members& members, std::string_view name, bool may_exist) {
  if (may_exist) {
    const auto it = std::ranges::find(members.rbegin(), members.rend(), name, &Value::Member::key);
    if (it != members.rend()) return it->value;
  }
  return members.emplace_back(Value::Member{std::string(name), {}, {}}).value;
}

// Reads one message. A failure leaves where_ and path_ as they were when it was found.
class Reader {
 public:
  Reader(std::string_view bytes, const Message& schema) : bytes_(bytes), schema_(schema), where_(bytes.data()) {}

  Result<Value> Read() {
    Value document = Value::Map();
    try {
      if (ReadFields(bytes_, schema_, document.mutable_members(), false)) return document;
    } catch (const protozero::exception& refusal) {
      problem_ = WhatIsWrong(refusal);
    }
    return Failure();
  }

 private:
  bool Fail(std::string_view problem) {
    problem_ = problem;
    return false;
  }

  Error Failure() const {
    std::string path(schema_.name);
    for (const Field* field : std::span(path_).first(depth_)) {
      if (field->type != FieldType::Inline) path.append(".").append(field->name);
    }
    return InvalidError(fmt::format("{} at byte {}: {}", path, where_ - bytes_.data(), problem_));
  }

  // Moves to the next field, if there is one.
  bool Next(pbf_reader& reader) {
    where_ = reader.data().data();
    return reader.next();
  }

  // Adds the fields of a message to `members`. With `may_exist`, a part of the message was read before.
  bool ReadFields(std::string_view bytes, const Message& message, Members& members, bool may_exist) {
    pbf_reader reader(bytes.data(), bytes.size());
    const bool outer_is_unsorted = std::exchange(has_unsorted_map_, false);
    size_t next = 0;
    while (Next(reader)) {
      const size_t found = FindField(message.fields, reader.tag(), next);
      if (found == message.fields.size()) {
        reader.skip();
        continue;
      }
      if (depth_ == kMaxDepth) return Fail("messages are nested too deeply");
      path_.at(depth_++) = &message.fields[found];
      if (!ReadField(reader, message.fields[found], members, may_exist || found < next)) return false;
      next = std::max(next, found + 1);
      --depth_;
    }
    if (has_unsorted_map_) SortMaps(message, members);
    has_unsorted_map_ = outer_is_unsorted;
    return true;
  }

  bool ReadField(pbf_reader& reader, const Field& field, Members& members, bool may_exist) {
    const FieldType on_wire = field.shape == FieldShape::Map ? FieldType::Submessage : field.type;
    if (reader.wire_type() != WireTypeOf(on_wire)) return Fail("the wire type is not that of the field");
    if (field.type == FieldType::Inline) return ReadFields(TakeBytes(reader), *field.message, members, may_exist);
    if (field.shape == FieldShape::Map) {
      return ReadEntry(TakeBytes(reader), field.type, Slot(members, field.name, may_exist));
    }
    if (field.shape == FieldShape::List) {
      Value& list = Slot(members, field.name, may_exist);
      if (list.is_null()) list = Value::List();
      Value& item = list.mutable_items().emplace_back();
      return field.type == FieldType::Submessage ? ReadSubmessage(TakeBytes(reader), *field.message, item)
                                                 : ReadScalar(reader, field.type, item);
    }
    if (field.type == FieldType::Submessage) {
      return ReadSubmessage(TakeBytes(reader), *field.message, Slot(members, field.name, may_exist));
    }
    Value value;
    if (!ReadScalar(reader, field.type, value)) return false;
    const bool is_nothing = field.shape == FieldShape::Optional ? value.is_null() : IsZero(value);
    if (is_nothing) {
      if (may_exist) std::erase_if(members, [&](const Value::Member& member) { return member.key == field.name; });
    } else if (may_exist) {
      Slot(members, field.name, true) = std::move(value);
    } else {
      members.push_back({std::string(field.name), std::move(value), {}});
    }
    return true;
  }

  bool ReadSubmessage(std::string_view bytes, const Message& message, Value& map) {
    constexpr size_t kUsualMembers = 8;
    const bool may_exist = map.is_map();
    if (!may_exist) {
      map = Value::Map();
      map.mutable_members().reserve(std::min(message.fields.size(), kUsualMembers));
    }
    // What is in a message of which nothing is read does not matter.
    return message.fields.empty() || ReadFields(bytes, message, map.mutable_members(), may_exist);
  }

  // One entry of a map is a message: its key is field 1, its value field 2.
  bool ReadEntry(std::string_view bytes, FieldType type, Value& map) {
    pbf_reader reader(bytes.data(), bytes.size());
    Value::Member entry{{}, type == FieldType::String ? Value::String({}) : Value(), {}};
    while (Next(reader)) {
      if (reader.tag() > 2) {
        reader.skip();
        continue;
      }
      if (reader.wire_type() != pbf_wire_type::length_delimited) return Fail("not an entry of a map");
      if (reader.tag() == 1) {
        entry.key = api::RepairedText(TakeBytes(reader));
      } else if (!ReadScalar(reader, type, entry.value)) {
        return false;
      }
    }
    if (map.is_null()) map = Value::Map();
    Members& entries = map.mutable_members();
    const bool in_order = entries.empty() || entries.back().key < entry.key;
    entries.push_back(std::move(entry));
    if (!in_order) has_unsorted_map_ = true;
    return true;
  }

  bool ReadScalar(pbf_reader& reader, FieldType type, Value& value) {
    switch (type) {
      case FieldType::String: value = Value::String(api::RepairedText(TakeBytes(reader))); return true;
      case FieldType::Bool: value = Value::Bool(reader.get_uint64() != 0); return true;
      case FieldType::Int32: value = Value::Int(static_cast<int32_t>(reader.get_uint64())); return true;
      case FieldType::Int64: value = Value::Int(static_cast<int64_t>(reader.get_uint64())); return true;
      case FieldType::Quantity: return ReadQuantity(TakeBytes(reader), value);
      case FieldType::Time: return ReadTime(TakeBytes(reader), value);
      case FieldType::Submessage:
      case FieldType::Inline: break;
    }
    return Fail("a message cannot be here");
  }

  bool ReadQuantity(std::string_view bytes, Value& value) {
    pbf_reader reader(bytes.data(), bytes.size());
    std::string text = "0";
    while (Next(reader)) {
      if (reader.tag() != 1) {
        reader.skip();
      } else if (reader.wire_type() == pbf_wire_type::length_delimited) {
        text = api::RepairedText(TakeBytes(reader));
      } else {
        return Fail("not a quantity");
      }
    }
    value = Value::String(std::move(text));
    return true;
  }

  // Kubernetes' times have whole seconds: it ignores the nanoseconds, too.
  bool ReadTime(std::string_view bytes, Value& value) {
    value = Value::Null();
    if (bytes.empty()) return true;
    pbf_reader reader(bytes.data(), bytes.size());
    int64_t seconds = 0;
    while (Next(reader)) {
      if (reader.tag() != 1) {
        reader.skip();
      } else if (reader.wire_type() == pbf_wire_type::varint) {
        seconds = static_cast<int64_t>(reader.get_uint64());
      } else {
        return Fail("not a time");
      }
    }
    constexpr int64_t kEnd = std::chrono::duration_cast<std::chrono::seconds>(Duration::max()).count();
    if (seconds <= -kEnd || seconds >= kEnd) return Fail("the time is beyond the years 1678 to 2261");
    value = Value::String(api::ToRfc3339(Timestamp(std::chrono::seconds(seconds))));
    return true;
  }

  std::string_view bytes_;
  const Message& schema_;
  const char* where_;  // the field that is being read
  std::string_view problem_;
  std::array<const Field*, kMaxDepth> path_{};
  size_t depth_ = 0;
  bool has_unsorted_map_ = false;  // in the message that is being read
};

}  // namespace

Result<Value> ReadProto(std::string_view bytes, const Message& schema) { return Reader(bytes, schema).Read(); }

}  // namespace berth::kube::proto
