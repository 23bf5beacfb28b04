// SPDX-License-Identifier: Apache-2.0
#include "remote/twin.h"

#include "api/document.h"
#include "remote/remote_plugin.h"

#include <chrono>
#include <utility>

namespace berth::remote {
namespace {

// Long enough for a busy machine: a twin that is late decides nothing.
constexpr Duration kPatience = std::chrono::seconds(60);

std::string ConfigOf(const framework::PluginArgs* args) {
  if (const auto* raw = dynamic_cast<const framework::RawArgs*>(args)) return api::ToJson(raw->value);
  const auto* typed = dynamic_cast<const framework::TypedArgs*>(args);
  if (typed == nullptr) return "";
  api::Value map = api::Value::Map();
  typed->Encode(map);
  return api::ToJson(map);
}

}  // namespace

framework::PluginEntry TwinOf(const framework::PluginEntry& entry, DialPlugin dial) {
  framework::PluginEntry twin = entry;
  twin.make = [name = entry.name, points = entry.points, dial = std::move(dial)](
                  const framework::PluginArgs* args, framework::Handle& handle) -> Result<framework::PluginInstance> {
    RemotePluginArgs remote;
    remote.timeout = kPatience;
    remote.start_timeout = kPatience;
    return MakeRemotePlugin({name, points, ConfigOf(args), std::nullopt}, remote, handle, dial(name));
  };
  return twin;
}

}  // namespace berth::remote
