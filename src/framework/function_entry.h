// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/registry.h"

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

// How a plugin is registered that a function makes, rather than a constructor or a static Create.
namespace berth::framework {
namespace internal {

// What a factory returns: the plugin's class, and the plugin or why there is none.
template <typename T>
struct Made;
template <typename P>
struct Made<std::shared_ptr<P>> {
  using Plugin = P;
  static Result<std::shared_ptr<P>> From(std::shared_ptr<P> made) { return made; }
};
template <typename P>
struct Made<std::unique_ptr<P>> {
  using Plugin = P;
  static Result<std::shared_ptr<P>> From(std::unique_ptr<P> made) { return std::shared_ptr<P>(std::move(made)); }
};
template <typename T>
struct Made<Result<T>> {
  using Plugin = typename Made<T>::Plugin;
  static Result<std::shared_ptr<Plugin>> From(Result<T> made) {
    if (!made) return std::move(made).error();
    return Made<T>::From(*std::move(made));
  }
};

template <typename F>
struct SignatureOf;
template <typename R, typename... Given>
struct SignatureOf<std::function<R(Given...)>> {
  using Returned = R;
};

// The class that a factory makes.
template <typename F>
using PluginMadeBy = typename Made<typename SignatureOf<decltype(std::function(std::declval<F>()))>::Returned>::Plugin;

template <typename F, typename... Given>
Result<PluginInstance> MakeWith(const F& factory, const std::string& name, Given... given) {
  using P = PluginMadeBy<F>;
  using Returned = std::invoke_result_t<const F&, Given...>;
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<P> plugin, Made<Returned>::From(factory(given...)));
  if (plugin == nullptr) return InvalidError("the factory of plugin \"" + name + "\" made none");
  return MakeInstance<P>(std::move(plugin));
}

}  // namespace internal

// Describes a plugin that `factory` makes. The factory takes what Entry() lets a constructor take: (const P::Args&,
// Handle&), (const RawArgs*, Handle&), (Handle&) or nothing. It returns std::shared_ptr<P>, std::unique_ptr<P>, or a
// Result of one of them.
template <typename F>
PluginEntry EntryMadeBy(std::string_view name, F factory) {
  using P = internal::PluginMadeBy<F>;
  PluginEntry entry;
  entry.name = name;
  entry.points = PointsOf<P>();
  if constexpr (requires { P::kReads; }) entry.kinds.assign(P::kReads.begin(), P::kReads.end());
  if constexpr (requires { typename P::Args; }) {
    using Args = typename P::Args;
    static_assert(std::invocable<const F&, const Args&, Handle&>, "the factory takes (const Args&, Handle&)");
    entry.args_form = ArgsForm::Typed;
    entry.new_args = internal::NewArgs<Args>;
    entry.make = [factory, name = entry.name](const PluginArgs* given, Handle& handle) -> Result<PluginInstance> {
      BERTH_ASSIGN_OR_RETURN(const Args* args, internal::ArgsAs<Args>(given, name));
      const std::shared_ptr<Args> defaults = args == nullptr ? internal::NewArgs<Args>(handle.features()) : nullptr;
      return internal::MakeWith<F, const Args&, Handle&>(factory, name, args == nullptr ? *defaults : *args, handle);
    };
  } else if constexpr (std::invocable<const F&, const RawArgs*, Handle&>) {
    entry.make = [factory, name = entry.name](const PluginArgs* given, Handle& handle) -> Result<PluginInstance> {
      BERTH_ASSIGN_OR_RETURN(const RawArgs* args, internal::ArgsAs<RawArgs>(given, name));
      return internal::MakeWith<F, const RawArgs*, Handle&>(factory, name, args, handle);
    };
  } else {
    entry.args_form = ArgsForm::None;
    entry.make = [factory, name = entry.name](const PluginArgs*, Handle& handle) -> Result<PluginInstance> {
      if constexpr (std::invocable<const F&, Handle&>) {
        return internal::MakeWith<F, Handle&>(factory, name, handle);
      } else {
        return internal::MakeWith<F>(factory, name);
      }
    };
  }
  return entry;
}

}  // namespace berth::framework
