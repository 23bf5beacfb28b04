// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/plugin_factory.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// A plugin that configurations may name.
struct PluginEntry {
  std::string name;
  PointSet points;
  PluginFactory make;
  ArgsForm args_form = ArgsForm::Raw;
  std::function<std::shared_ptr<TypedArgs>(const features::FeatureGates&)> new_args =
      {};  // the defaults; set when typed
  // The kinds that the plugin reads besides Pod and Node, such as "Service", or "Tenant.example.com" for a kind that
  // Berth has no type for. Kinds that it registers events for need not be listed.
  std::vector<std::string> kinds = {};
  // It may serve fewer points than `points`, and nobody knows which: a profile must name them one by one.
  bool points_unknown = false;
};

// Describes a plugin class by what it declares. A class with a type `Args` is built from (const Args&, Handle&), and
// its arguments arrive read and checked by that type; one without from (const RawArgs*, Handle&), null when the
// configuration has none, if it takes arguments at all; otherwise from (Handle&) or from nothing. Instead of a
// constructor, a class may have a static `Create` with the same parameters that returns Result<std::shared_ptr<P>>.
// The kinds that it reads are listed in a static array `kReads` of std::string_view.
template <typename P>
PluginEntry Entry(std::string_view name) {
  PluginEntry entry{std::string(name), PointsOf<P>(),
                    [name = std::string(name)](const PluginArgs* args, Handle& handle) {
                      return internal::BuildWith<P>(args, handle, name);
                    }};
  entry.args_form = internal::ArgsFormOf<P>();
  if constexpr (requires { typename P::Args; }) {
    entry.new_args = internal::NewArgs<typename P::Args>;
  }
  if constexpr (requires { P::kReads; }) entry.kinds.assign(P::kReads.begin(), P::kReads.end());
  return entry;
}

// Plugins that a configuration brings along: arguments of this kind say where a plugin is found, whatever its name. A
// plugin of the program may be brought along, too: its own arguments then mean the program's as before.
struct BroughtPlugins {
  std::string api_version;
  std::string kind;
  std::function<std::shared_ptr<TypedArgs>()> new_args;  // the defaults
  // The entry of a plugin with these arguments; `known` is the program's plugin of that name, or null.
  std::function<PluginEntry(const std::string& name, const api::Value& args, const PluginEntry* known)> entry;
};

// The plugins a program knows, by name. Explicit and ordered: nothing registers itself. Immutable once built.
class Registry {
 public:
  Registry() = default;
  explicit Registry(std::vector<PluginEntry> entries);

  // Fails when the name is taken.
  Result<void> Add(PluginEntry entry);
  const PluginEntry* Find(std::string_view name) const;  // null when unknown
  const std::vector<PluginEntry>& entries() const { return entries_; }

  // How configurations bring plugins along; null where they cannot.
  const BroughtPlugins* brought() const { return brought_.get(); }
  void AllowBrought(BroughtPlugins brought) { brought_ = std::make_shared<const BroughtPlugins>(std::move(brought)); }
  // The same plugins with this one, in the place of the one of its name if there is one.
  Registry With(PluginEntry entry) const;

 private:
  std::vector<PluginEntry> entries_;
  std::shared_ptr<const BroughtPlugins> brought_;
};

// A registry that outlives whoever holds the pointer.
inline std::shared_ptr<const Registry> Borrowed(const Registry& registry) {
  return {std::shared_ptr<void>(), &registry};
}

// The same plugins without their columnar forms: asked node by node.
Registry WithoutColumns(const Registry& registry);

}  // namespace berth::framework
