// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/extension_point.h"
#include "framework/handle.h"
#include "framework/plugin.h"
#include "remote/channel.h"
#include "remote/remote_plugin_args.h"

#include <memory>
#include <optional>
#include <string>

namespace berth::remote {

struct RemotePluginOptions {
  std::string name;
  framework::PointSet points;  // at which it is enabled
  std::string config;          // JSON: the plugin's own arguments
  std::optional<framework::PluginInstance> fallback;
};

// A plugin in another process, for one profile: every step is a call. Waits for the plugin as long as the arguments
// say; when it does not come, steps fail by the failure policy until it does.
framework::PluginInstance MakeRemotePlugin(RemotePluginOptions options, const RemotePluginArgs& args,
                                           framework::Handle& handle, std::unique_ptr<Dialer> dialer);

}  // namespace berth::remote
