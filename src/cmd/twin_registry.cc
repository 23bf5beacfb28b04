// SPDX-License-Identifier: Apache-2.0
#include "cmd/twin_registry.h"

#include "plugin_host/local_dialer.h"
#include "plugin_host/plugin_session.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace berth::cmd {

Result<framework::Registry> WithTwins(const framework::Registry& registry, const std::vector<std::string>& names,
                                      const remote::DialPlugin& dial) {
  framework::Registry with = registry;
  const bool all = std::ranges::find(names, "all") != names.end();
  for (const framework::PluginEntry& entry : registry.entries()) {
    if (all || std::ranges::find(names, entry.name) != names.end()) with = with.With(remote::TwinOf(entry, dial));
  }
  for (const std::string& name : names) {
    if (name != "all" && registry.Find(name) == nullptr) {
      return NotFoundError(fmt::format("there is no plugin \"{}\"", name));
    }
  }
  return with;
}

remote::DialPlugin DialHere(const framework::Registry& registry) {
  return [&registry](const std::string& plugin) -> std::unique_ptr<remote::Dialer> {
    return std::make_unique<plugin_host::LocalDialer>(plugin_host::Serving({.registry = &registry, .plugin = plugin}));
  };
}

}  // namespace berth::cmd
