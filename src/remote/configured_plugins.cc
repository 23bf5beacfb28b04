// SPDX-License-Identifier: Apache-2.0
#include "remote/configured_plugins.h"

#include "api/document.h"
#include "remote/remote_plugin.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::remote {
namespace {

using framework::ExtensionPoint;
using framework::Handle;
using framework::PluginArgs;
using framework::PluginEntry;
using framework::PluginInstance;
using framework::PointSet;
using framework::Registry;

// A fallback must have prepared what it is asked for: Filter reads what PreFilter has left.
Result<std::optional<PluginInstance>> BuildFallback(const std::string& name, const RemotePluginArgs& args,
                                                    PointSet points, const Registry& program, Handle& handle) {
  if (args.failure_policy != FailurePolicy::Fallback) return std::optional<PluginInstance>();
  const PluginEntry* entry = program.Find(args.fallback->name);
  if (entry == nullptr) {
    return NotFoundError(fmt::format("its fallback \"{}\" does not exist", args.fallback->name));
  }
  for (const auto& [needs, step] : {std::pair(ExtensionPoint::PreFilter, ExtensionPoint::Filter),
                                    std::pair(ExtensionPoint::PreScore, ExtensionPoint::Score)}) {
    if (!points.Has(step) || points.Has(needs) || !entry->points.Has(needs)) continue;
    return InvalidError(fmt::format("its fallback {} has a {}: plugin \"{}\" must be enabled there, too",
                                    args.fallback->name, framework::PointName(needs), name));
  }
  Result<PluginInstance> instance = entry->make(args.fallback->args.get(), handle);
  if (!instance) return InvalidError(fmt::format("its fallback: {}", instance.error().message));
  return std::optional(*std::move(instance));
}

Result<PluginInstance> Build(const std::string& name, const RemotePluginArgs& args, const Registry& program,
                             const MakeDialer& dial, Handle& handle) {
  const PointSet points = handle.EnabledAt(name);
  BERTH_ASSIGN_OR_RETURN(std::optional<PluginInstance> fallback, BuildFallback(name, args, points, program, handle));
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Dialer> dialer, dial(name, args, handle));
  const std::string config = args.config.is_null() ? "" : api::ToJson(args.config);
  return MakeRemotePlugin({name, points, config, std::move(fallback)}, args, handle, std::move(dialer));
}

std::vector<std::string> TextsAt(const api::Value& map, std::string_view key) {
  std::vector<std::string> texts;
  const api::Value* list = map.Find(key);
  if (list == nullptr) return texts;
  for (const api::Value& item : list->items()) texts.push_back(item.text());
  return texts;
}

// By the arguments as they stand, for they are not checked yet; several profiles may have some for one name.
PluginEntry EntryFor(const std::string& name, const api::Value& args, const PluginEntry* known) {
  PluginEntry entry = known != nullptr ? *known : PluginEntry{name, {}, {}};
  // A plugin that takes no arguments of its own has some now.
  if (entry.args_form == framework::ArgsForm::None) entry.args_form = framework::ArgsForm::Raw;
  const std::vector<std::string> listed = TextsAt(args, "points");
  if (known == nullptr || known->points_unknown) {
    entry.points_unknown = listed.empty();
    for (const ExtensionPoint point : framework::kExtensionPoints) {
      if (listed.empty() || std::ranges::find(listed, framework::PointName(point)) != listed.end()) {
        entry.points.Add(point);
      }
    }
  }
  for (std::string& kind : TextsAt(args, "kinds")) {
    if (std::ranges::find(entry.kinds, kind) == entry.kinds.end()) entry.kinds.push_back(std::move(kind));
  }
  return entry;
}

}  // namespace

Registry WithConfiguredPlugins(Registry program, MakeDialer dial) {
  const auto plain = std::make_shared<const Registry>(program);
  framework::BroughtPlugins brought;
  brought.api_version = kArgsApiVersion;
  brought.kind = kArgsKind;
  brought.new_args = [plain] { return std::make_shared<RemotePluginArgs>(plain); };
  brought.entry = [plain, dial = std::move(dial)](const std::string& name, const api::Value& args,
                                                  const PluginEntry* known) {
    PluginEntry entry = EntryFor(name, args, known);
    entry.make = [name, plain, dial](const PluginArgs* given, Handle& handle) -> Result<PluginInstance> {
      if (const auto* remote = dynamic_cast<const RemotePluginArgs*>(given)) {
        return Build(name, *remote, *plain, dial, handle);
      }
      if (const PluginEntry* own = plain->Find(name)) return own->make(given, handle);
      return InvalidError(fmt::format("profile {} does not say where the plugin is found", handle.profile_name()));
    };
    return entry;
  };
  program.AllowBrought(std::move(brought));
  return program;
}

}  // namespace berth::remote
