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

}  // namespace berth::framework
