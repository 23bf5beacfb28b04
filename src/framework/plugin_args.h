// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <memory>

namespace berth::framework {

// A plugin's arguments. In-tree plugins get a decoded struct derived from this (config/args/); others get RawArgs and
// decode what they like.
class PluginArgs {
 public:
  virtual ~PluginArgs() = default;
};

// Arguments as they stand in the configuration, for plugins that decode their own.
struct RawArgs final : PluginArgs {
  api::Value value;
};

using PluginArgsPtr = std::shared_ptr<const PluginArgs>;

// The arguments as T, or T's defaults when there are none or they are of another kind.
template <typename T>
T ArgsOr(const PluginArgs* args) {
  const auto* typed = dynamic_cast<const T*>(args);
  return typed != nullptr ? *typed : T{};
}

}  // namespace berth::framework
