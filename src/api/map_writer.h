// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/meta.h"
#include "api/node_selector.h"
#include "api/resources.h"
#include "api/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {

// Writes the fields of one map, and leaves out those that say nothing: empty texts, false, empty lists.
class MapWriter {
 public:
  MapWriter& Put(std::string_view key, Value value) {
    map_.Set(key, std::move(value));
    return *this;
  }
  MapWriter& Text(std::string_view key, std::string_view text) {
    return text.empty() ? *this : Put(key, Value::String(std::string(text)));
  }
  MapWriter& OptionalText(std::string_view key, const std::optional<std::string>& text) {
    return text ? Put(key, Value::String(*text)) : *this;
  }
  MapWriter& Flag(std::string_view key, bool flag) { return flag ? Put(key, Value::Bool(true)) : *this; }
  MapWriter& Number(std::string_view key, int64_t number) { return Put(key, Value::Int(number)); }
  template <typename T>
  MapWriter& Number(std::string_view key, const std::optional<T>& number) {
    return number ? Put(key, Value::Int(*number)) : *this;
  }
  MapWriter& Time(std::string_view key, const std::optional<Timestamp>& time);
  MapWriter& Texts(std::string_view key, const std::vector<std::string>& texts);
  MapWriter& Pairs(std::string_view key, const Labels& labels);
  MapWriter& Amounts(std::string_view key, const ResourceList& amounts);
  // Writes an empty map, too: an empty selector means something.
  MapWriter& Selector(std::string_view key, const std::optional<LabelSelector>& selector);
  MapWriter& NodeTerms(std::string_view key, const std::optional<NodeSelector>& selector);
  // A map that is left out when it is empty.
  MapWriter& Map(std::string_view key, MapWriter map) {
    return map.map_.members().empty() ? *this : Put(key, map.Take());
  }
  template <typename T, typename F>
  MapWriter& List(std::string_view key, const std::vector<T>& items, F&& encode) {
    if (items.empty()) return *this;
    Value list = Value::List();
    for (const T& item : items) list.Append(encode(item));
    return Put(key, std::move(list));
  }
  Value Take() { return std::move(map_); }

 private:
  Value map_ = Value::Map();
};

Value EncodeMeta(const ObjectMeta& meta);
Value EncodeNodeTerm(const NodeSelectorTerm& term);

}  // namespace berth::api
