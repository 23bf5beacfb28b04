// SPDX-License-Identifier: Apache-2.0
#include "config/locate.h"

#include <charconv>

namespace berth::config {
namespace {

using api::Position;
using api::Value;

// The next step of a path: a field name or an index in brackets.
std::string_view TakeStep(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  size_t end = path.starts_with('[') ? path.find(']') : path.find_first_of(".[");
  if (end == std::string_view::npos) {
    end = path.size();
  } else if (path[end] == ']') {
    ++end;
  }
  const std::string_view step = path.substr(0, end);
  path.remove_prefix(end);
  return step;
}

const Value* Item(const Value& list, std::string_view step) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(step.data() + 1, step.data() + step.size(), index);
  if (error != std::errc{} || index >= list.items().size()) return nullptr;
  return &list.items()[index];
}

const Value* EntryOf(const Value* list, std::string_view name) {
  if (list == nullptr) return nullptr;
  for (const Value& entry : list->items()) {
    const Value* found = entry.Find("name");
    if (found != nullptr && found->is_string() && found->text() == name) return found;
  }
  return nullptr;
}

}  // namespace

Position Locate(const Value& root, std::string_view path) {
  const Value* at = &root;
  Position position;
  while (!path.empty()) {
    const std::string_view step = TakeStep(path);
    if (step.starts_with('[')) {
      at = Item(*at, step);
      if (at == nullptr) return position;
      position = at->position();
      continue;
    }
    const Value* next = nullptr;
    for (const Value::Member& member : at->members()) {
      if (member.key != step) continue;
      position = member.key_position;
      next = &member.value;
    }
    if (next == nullptr) return position;
    at = next;
  }
  return position;
}

Position LocatePlugin(const Value& root, size_t profile, std::string_view plugin) {
  const Value* profiles = root.Find("profiles");
  if (profiles == nullptr || profile >= profiles->items().size()) return {};
  const Value& map = profiles->items()[profile];
  if (const Value* plugins = map.Find("plugins")) {
    for (const Value::Member& set : plugins->members()) {
      if (const Value* entry = EntryOf(set.value.Find("enabled"), plugin)) return entry->position();
    }
  }
  const Value* entry = EntryOf(map.Find("pluginConfig"), plugin);
  return entry == nullptr ? Position{} : entry->position();
}

}  // namespace berth::config
