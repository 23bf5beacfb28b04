// SPDX-License-Identifier: Apache-2.0
#include "config/plugin_arguments.h"

#include "config/brought_plugins.h"
#include "config/known_plugins.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::config {
namespace {

using api::FieldReader;
using framework::ArgsForm;
using framework::PluginEntry;
using framework::Registry;

std::string KindOf(std::string_view plugin) { return std::string(plugin) + "Args"; }

bool IsKnownKind(const Registry& registry, std::string_view kind) {
  return std::ranges::any_of(registry.entries(), [&](const PluginEntry& entry) {
    return entry.args_form == ArgsForm::Typed && KindOf(entry.name) == kind;
  });
}

// Arguments may omit apiVersion and kind; if given, they must name v1's arguments of this plugin.
bool CheckType(FieldReader& reader, const std::string& plugin, const Registry& registry) {
  const std::string version = reader.String("apiVersion", kApiVersion);
  const std::string kind = reader.String("kind", KindOf(plugin));
  if (!version.empty() && version != kApiVersion) {
    reader.Fail("apiVersion", fmt::format("args for plugin {}: no kind \"{}\" is registered for version \"{}\"", plugin,
                                          kind, version));
    return false;
  }
  if (kind.empty() || kind == KindOf(plugin)) return true;
  reader.Fail("kind", IsKnownKind(registry, kind)
                          ? fmt::format("args for plugin {0} were not of type {0}Args, got {1}", plugin, kind)
                          : fmt::format("args for plugin {}: no kind \"{}\" is registered", plugin, kind));
  return false;
}

framework::PluginArgsPtr DecodeTyped(const PluginEntry& entry, const api::Value* value, const std::string& path,
                                     const Registry& registry, const features::FeatureGates& gates,
                                     api::DecodeErrors& errors) {
  std::shared_ptr<framework::TypedArgs> args = entry.new_args(gates);
  if (value == nullptr) return args;
  if (!value->is_map()) {
    errors.Add(path, value->position(), fmt::format("must be a map, not a {}", api::KindName(value->kind())));
    return args;
  }
  FieldReader reader(*value, path, errors);
  if (!CheckType(reader, entry.name, registry)) return args;
  args->Decode(reader);
  reader.RejectUnknown();
  return args;
}

framework::PluginArgsPtr DecodeBrought(const Registry& registry, const api::Value& value, const std::string& path,
                                       const features::FeatureGates& gates, api::DecodeErrors& errors) {
  std::shared_ptr<framework::TypedArgs> args = registry.brought()->new_args();
  args->AddGatedDefaults(gates);
  FieldReader reader(value, path, errors);
  reader.Raw("apiVersion");
  reader.Raw("kind");
  args->Decode(reader);
  reader.RejectUnknown();
  return args;
}

// Arguments that would bring a plugin along, but for their version.
bool NotesWrongVersion(const Registry& registry, const api::Value& args, const std::string& path,
                       api::DecodeErrors& errors) {
  const framework::BroughtPlugins* brought = registry.brought();
  const api::Value* kind = args.Find("kind");
  if (brought == nullptr || kind == nullptr || kind->text() != brought->kind) return false;
  const api::Value* version = args.Find("apiVersion");
  errors.Add(path + ".apiVersion", (version == nullptr ? args : *version).position(),
             fmt::format("{} is a kind of \"{}\", write \"apiVersion: {}\"", brought->kind, brought->api_version,
                         brought->api_version));
  return true;
}

}  // namespace

framework::PluginArgsPtr DecodeArgs(const std::string& plugin, const api::Value* args, const std::string& path,
                                    const Registry& registry, const features::FeatureGates& gates,
                                    api::DecodeErrors& errors) {
  if (args != nullptr && AreOfBroughtKind(registry, *args)) return DecodeBrought(registry, *args, path, gates, errors);
  if (args != nullptr && NotesWrongVersion(registry, *args, path, errors)) return nullptr;
  const PluginEntry* entry = registry.Find(plugin);
  if (entry != nullptr && entry->args_form == ArgsForm::Typed) {
    return DecodeTyped(*entry, args, path, registry, gates, errors);
  }
  if (args == nullptr) return nullptr;
  auto raw = std::make_shared<framework::RawArgs>();
  raw->value = *args;
  return raw;
}

api::Value EncodeArgs(const PluginConfig& config) {
  if (const auto* raw = dynamic_cast<const framework::RawArgs*>(config.args.get())) return raw->value;
  const framework::TypedArgs* typed = AsTyped(config);
  if (typed == nullptr) return api::Value::Null();
  api::Value map = api::Value::Map();
  const auto own = typed->own_kind();
  map.Set("apiVersion", api::Value::String(std::string(own ? own->api_version : kApiVersion)));
  map.Set("kind", api::Value::String(own ? std::string(own->kind) : KindOf(config.name)));
  typed->Encode(map);
  return map;
}

const framework::TypedArgs* AsTyped(const PluginConfig& config) {
  return dynamic_cast<const framework::TypedArgs*>(config.args.get());
}

bool TakesNoArgs(const Registry& registry, std::string_view plugin) {
  const PluginEntry* entry = registry.Find(plugin);
  return entry != nullptr && entry->args_form == ArgsForm::None;
}

}  // namespace berth::config
