// SPDX-License-Identifier: Apache-2.0
#include "config/brought_plugins.h"

#include <string>
#include <utility>

namespace berth::config {
namespace {

std::string TextAt(const api::Value& map, std::string_view key) {
  const api::Value* value = map.Find(key);
  return value != nullptr && value->is_string() ? value->text() : std::string();
}

// Calls f(name, args) for every plugin that the configuration brings along.
template <typename F>
void ForEachBrought(const framework::Registry& registry, const api::Value& configuration, F&& f) {
  const api::Value* profiles = configuration.Find("profiles");
  if (profiles == nullptr) return;
  for (const api::Value& profile : profiles->items()) {
    const api::Value* configs = profile.Find("pluginConfig");
    if (configs == nullptr) continue;
    for (const api::Value& config : configs->items()) {
      const api::Value* args = config.Find("args");
      const std::string name = TextAt(config, "name");
      if (args != nullptr && !name.empty() && AreOfBroughtKind(registry, *args)) f(name, *args);
    }
  }
}

}  // namespace

bool AreOfBroughtKind(const framework::Registry& registry, const api::Value& args) {
  const framework::BroughtPlugins* brought = registry.brought();
  return brought != nullptr && TextAt(args, "apiVersion") == brought->api_version &&
         TextAt(args, "kind") == brought->kind;
}

std::shared_ptr<const framework::Registry> WithBroughtPlugins(const framework::Registry& registry,
                                                              const api::Value& configuration) {
  std::shared_ptr<framework::Registry> with;
  ForEachBrought(registry, configuration, [&](const std::string& name, const api::Value& args) {
    if (with == nullptr) with = std::make_shared<framework::Registry>(registry);
    *with = with->With(registry.brought()->entry(name, args, with->Find(name)));
  });
  if (with != nullptr) return with;
  return framework::Borrowed(registry);
}

}  // namespace berth::config
