// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/registry.h"

#include <string>

namespace berth::cmd {

// A plugin's name as different places spell it.
struct PluginName {
  std::string name;        // as given: "rackAware"
  std::string class_name;  // "RackAware"
  std::string snake;       // "rack_aware"
  std::string kebab;       // "rack-aware"
};

// Fails when a new plugin cannot have the name, and says which it could have.
Result<PluginName> NewPluginName(const std::string& name, const framework::Registry& taken);

}  // namespace berth::cmd
