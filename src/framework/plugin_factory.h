// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/handle.h"
#include "framework/plugin.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

// How a plugin class is built from what it declares; Entry() in registry.h says what it may declare.
namespace berth::framework {

using PluginFactory = std::function<Result<PluginInstance>(const PluginArgs* args, Handle& handle)>;

// What a plugin takes as arguments.
enum class ArgsForm : uint8_t {
  None,   // nothing: arguments in the configuration have no effect
  Raw,    // the document as it stands
  Typed,  // its own TypedArgs
};

namespace internal {

template <typename P, typename... Given>
concept CreatedFrom = requires(Given... given) {
  P::Create(given...);
};

template <typename P, typename... Given>
concept BuiltFrom = CreatedFrom<P, Given...> || std::constructible_from<P, Given...>;

template <typename P, typename... Given>
Result<PluginInstance> Build(Given... given) {
  if constexpr (CreatedFrom<P, Given...>) {
    BERTH_ASSIGN_OR_RETURN(std::shared_ptr<P> plugin, P::Create(given...));
    return MakeInstance<P>(std::move(plugin));
  } else {
    return MakeInstance<P>(std::make_shared<P>(given...));
  }
}

template <typename P>
Result<PluginInstance> BuildWithoutArgs(Handle& handle) {
  if constexpr (BuiltFrom<P, Handle&>) {
    return Build<P, Handle&>(handle);
  } else {
    return Build<P>();
  }
}

// The defaults under these feature gates.
template <typename Args>
std::shared_ptr<Args> NewArgs(const features::FeatureGates& gates) {
  auto args = std::make_shared<Args>();
  args->AddGatedDefaults(gates);
  return args;
}

// Arguments of another kind than the plugin's own are an error, never the defaults.
template <typename Args>
Result<const Args*> ArgsAs(const PluginArgs* given, const std::string& plugin) {
  const auto* args = dynamic_cast<const Args*>(given);
  if (given != nullptr && args == nullptr) {
    return InvalidError("args for plugin " + plugin + " were not of type " + plugin + "Args");
  }
  return args;
}

template <typename P>
constexpr ArgsForm ArgsFormOf() {
  if (requires { typename P::Args; }) return ArgsForm::Typed;
  return BuiltFrom<P, const RawArgs*, Handle&> ? ArgsForm::Raw : ArgsForm::None;
}

template <typename P>
Result<PluginInstance> BuildWith(const PluginArgs* given, Handle& handle, const std::string& name) {
  if constexpr (ArgsFormOf<P>() == ArgsForm::Typed) {
    using Args = typename P::Args;
    BERTH_ASSIGN_OR_RETURN(const Args* args, ArgsAs<Args>(given, name));
    if constexpr (BuiltFrom<P, const Args&, Handle&>) {
      return Build<P, const Args&, Handle&>(args == nullptr ? *NewArgs<Args>(handle.features()) : *args, handle);
    } else {
      return BuildWithoutArgs<P>(handle);
    }
  } else if constexpr (ArgsFormOf<P>() == ArgsForm::Raw) {
    BERTH_ASSIGN_OR_RETURN(const RawArgs* args, ArgsAs<RawArgs>(given, name));
    return Build<P, const RawArgs*, Handle&>(args, handle);
  } else {
    return BuildWithoutArgs<P>(handle);
  }
}

}  // namespace internal

}  // namespace berth::framework
