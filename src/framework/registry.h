// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/plugin.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

using PluginFactory = std::function<Result<PluginInstance>(const PluginArgs* args, Handle& handle)>;

// A plugin that configurations may name.
struct PluginEntry {
  std::string name;
  PointSet points;
  PluginFactory make;
};

// Describes a plugin class. It is built by its static `Create(const PluginArgs*, Handle&)`, which returns
// Result<std::shared_ptr<P>>, if it has one; else by a constructor taking (const PluginArgs*, Handle&), (Handle&), or
// nothing.
template <typename P>
PluginEntry Entry(std::string_view name) {
  return {std::string(name), PointsOf<P>(), [](const PluginArgs* args, Handle& handle) -> Result<PluginInstance> {
            if constexpr (requires { P::Create(args, handle); }) {
              BERTH_ASSIGN_OR_RETURN(std::shared_ptr<P> plugin, P::Create(args, handle));
              return MakeInstance<P>(std::move(plugin));
            } else if constexpr (std::constructible_from<P, const PluginArgs*, Handle&>) {
              return MakeInstance<P>(std::make_shared<P>(args, handle));
            } else if constexpr (std::constructible_from<P, Handle&>) {
              return MakeInstance<P>(std::make_shared<P>(handle));
            } else {
              return MakeInstance<P>(std::make_shared<P>());
            }
          }};
}

// The plugins a program knows, by name. Explicit and ordered: nothing registers itself. Immutable once built.
class Registry {
 public:
  Registry() = default;
  explicit Registry(std::vector<PluginEntry> entries);

  // Fails when the name is taken.
  Result<void> Add(PluginEntry entry);
  const PluginEntry* Find(std::string_view name) const;  // null when unknown
  const std::vector<PluginEntry>& entries() const { return entries_; }

 private:
  std::vector<PluginEntry> entries_;
};

// The same plugins without their columnar forms: asked node by node.
Registry WithoutColumns(const Registry& registry);

}  // namespace berth::framework
