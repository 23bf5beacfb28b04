// SPDX-License-Identifier: Apache-2.0
#include "framework/registry.h"

#include <algorithm>

namespace berth::framework {

Registry::Registry(std::vector<PluginEntry> entries) {
  for (PluginEntry& entry : entries) BERTH_CHECK(Add(std::move(entry)).has_value());
}

Result<void> Registry::Add(PluginEntry entry) {
  if (Find(entry.name) != nullptr) {
    return Error{ErrorCode::AlreadyExists, "plugin \"" + entry.name + "\" is registered already"};
  }
  entries_.push_back(std::move(entry));
  return {};
}

const PluginEntry* Registry::Find(std::string_view name) const {
  const auto it = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.name == name; });
  return it == entries_.end() ? nullptr : &*it;
}

Registry Registry::With(PluginEntry entry) const {
  Registry with = *this;
  const auto it = std::ranges::find(with.entries_, entry.name, &PluginEntry::name);
  if (it == with.entries_.end()) {
    with.entries_.push_back(std::move(entry));
  } else {
    *it = std::move(entry);
  }
  return with;
}

Registry WithoutColumns(const Registry& registry) {
  std::vector<PluginEntry> entries = registry.entries();
  for (PluginEntry& entry : entries) {
    entry.make = [make = entry.make](const PluginArgs* args, Handle& handle) -> Result<PluginInstance> {
      BERTH_ASSIGN_OR_RETURN(PluginInstance instance, make(args, handle));
      instance.filter_all = nullptr;
      instance.score_all = nullptr;
      return instance;
    };
  }
  return Registry(std::move(entries));
}

}  // namespace berth::framework
