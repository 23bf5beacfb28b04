// SPDX-License-Identifier: Apache-2.0
#include "config/convert/profile_editor.h"

#include "config/convert/edit.h"

#include <algorithm>
#include <charconv>

namespace berth::config {

using api::Value;

const Value* ProfileEditor::List(std::string_view point, std::string_view list) const {
  const Value* plugins = profile_.Find("plugins");
  const Value* set = plugins == nullptr ? nullptr : plugins->Find(point);
  return set == nullptr ? nullptr : set->Find(list);
}

Value* ProfileEditor::MutableList(std::string_view point, std::string_view list) {
  Value* plugins = MapIn(profile_, "plugins");
  Value* set = plugins == nullptr ? nullptr : MapIn(*plugins, point);
  return set == nullptr ? nullptr : ListIn(*set, list);
}

bool ProfileEditor::Names(std::string_view point, std::string_view list, std::string_view plugin) const {
  const Value* entries = List(point, list);
  return entries != nullptr &&
         std::ranges::any_of(entries->items(), [&](const Value& entry) { return NameOf(entry) == plugin; });
}

bool ProfileEditor::Disables(std::string_view point, std::string_view plugin) const {
  return Names(point, "disabled", plugin) || DisablesAll(point);
}

std::optional<int64_t> ProfileEditor::EnabledWeight(std::string_view point, std::string_view plugin) const {
  const Value* entries = List(point, "enabled");
  if (entries == nullptr) return std::nullopt;
  for (const Value& entry : entries->items()) {
    if (NameOf(entry) != plugin) continue;
    const Value* weight = entry.Find("weight");
    int64_t number = 0;
    if (weight != nullptr)
      std::from_chars(weight->text().data(), weight->text().data() + weight->text().size(), number);
    return number == 0 ? 1 : number;
  }
  return std::nullopt;
}

void ProfileEditor::Enable(std::string_view point, std::string_view plugin, int64_t weight) {
  if (Names(point, "enabled", plugin)) return;
  if (Value* entries = MutableList(point, "enabled")) entries->Append(NamedEntry(plugin, weight));
}

void ProfileEditor::Disable(std::string_view point, std::string_view plugin) {
  if (Disables(point, plugin)) return;
  if (Value* entries = MutableList(point, "disabled")) entries->Append(NamedEntry(plugin));
}

bool ProfileEditor::Remove(std::string_view point, std::string_view list, std::string_view plugin) {
  if (!Names(point, list, plugin)) return false;
  Value* plugins = FindIn(profile_, "plugins");
  Value* set = FindIn(*plugins, point);
  Value* entries = FindIn(*set, list);
  std::erase_if(entries->mutable_items(), [&](const Value& entry) { return NameOf(entry) == plugin; });
  if (entries->items().empty()) Take(*set, list);
  if (set->members().empty()) Take(*plugins, point);
  if (plugins->members().empty()) Take(profile_, "plugins");
  return true;
}

void ProfileEditor::Replace(std::string_view point, std::string_view plugin, std::string_view by, int64_t weight) {
  if (!Names(point, "enabled", plugin)) return;
  if (plugin != by) Remove(point, "enabled", by);
  for (Value& entry : MutableList(point, "enabled")->mutable_items()) {
    if (NameOf(entry) == plugin) entry = NamedEntry(by, weight);
  }
}

void ProfileEditor::RenameEverywhere(std::string_view plugin, std::string_view to) {
  for (const std::string& point : Points()) {
    for (const std::string_view list : {"enabled", "disabled"}) {
      if (!Names(point, list, plugin)) continue;
      if (Names(point, list, to)) {
        Remove(point, list, plugin);
        continue;
      }
      for (Value& entry : MutableList(point, list)->mutable_items()) {
        if (NameOf(entry) == plugin) entry.Set("name", Value::String(std::string(to)));
      }
    }
  }
  Value* configs = FindIn(profile_, "pluginConfig");
  if (configs == nullptr || !configs->is_list()) return;
  for (Value& entry : configs->mutable_items()) {
    if (NameOf(entry) == plugin) entry.Set("name", Value::String(std::string(to)));
  }
}

void ProfileEditor::MergePoint(std::string_view from, std::string_view into) {
  const Value* entries = List(from, "enabled");
  std::vector<std::string> names;
  for (const Value& entry : entries == nullptr ? Value::Items{} : entries->items()) names.push_back(NameOf(entry));
  if (Value* plugins = FindIn(profile_, "plugins")) Take(*plugins, from);
  for (const std::string& name : names) Enable(into, name);
}

void ProfileEditor::RenamePoint(std::string_view from, std::string_view to) {
  Value* plugins = FindIn(profile_, "plugins");
  if (plugins == nullptr || !plugins->is_map()) return;
  for (Value::Member& member : plugins->mutable_members()) {
    if (member.key == from) member.key = to;
  }
}

Value* ProfileEditor::Args(std::string_view plugin) {
  Value* configs = ListIn(profile_, "pluginConfig");
  if (configs == nullptr) return nullptr;
  Value::Items& items = configs->mutable_items();
  auto found = std::ranges::find_if(items, [&](const Value& entry) { return NameOf(entry) == plugin; });
  if (found == items.end()) {
    items.push_back(NamedEntry(plugin));
    found = std::prev(items.end());
  }
  return MapIn(*found, "args");
}

Value* ProfileEditor::FindArgs(std::string_view plugin) {
  Value* configs = FindIn(profile_, "pluginConfig");
  if (configs == nullptr || !configs->is_list()) return nullptr;
  for (Value& entry : configs->mutable_items()) {
    if (NameOf(entry) == plugin) return FindIn(entry, "args");
  }
  return nullptr;
}

std::optional<Value> ProfileEditor::TakeArgs(std::string_view plugin) {
  Value* configs = FindIn(profile_, "pluginConfig");
  if (configs == nullptr || !configs->is_list()) return std::nullopt;
  Value::Items& items = configs->mutable_items();
  const auto found = std::ranges::find_if(items, [&](const Value& entry) { return NameOf(entry) == plugin; });
  if (found == items.end()) return std::nullopt;
  Value args = Take(*found, "args");
  items.erase(found);
  if (items.empty()) Take(profile_, "pluginConfig");
  return args;
}

std::vector<std::string> ProfileEditor::Points() const {
  std::vector<std::string> points;
  const Value* plugins = profile_.Find("plugins");
  if (plugins == nullptr) return points;
  for (const Value::Member& member : plugins->members()) points.push_back(member.key);
  return points;
}

}  // namespace berth::config
