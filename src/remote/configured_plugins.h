// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/handle.h"
#include "framework/registry.h"
#include "remote/channel.h"
#include "remote/remote_plugin_args.h"

#include <functional>
#include <memory>
#include <string>

namespace berth::remote {

// Makes the way to a configured plugin: connects to where it listens, or launches its program. Called when a profile is
// built; the error says why there can be none.
using MakeDialer = std::function<Result<std::unique_ptr<Dialer>>(
    const std::string& plugin, const RemotePluginArgs& args, framework::Handle& handle)>;

// The program's plugins, and whatever plugins configurations bring along with RemotePluginArgs. Nothing is dialled
// before a profile is built.
framework::Registry WithConfiguredPlugins(framework::Registry program, MakeDialer dial);

}  // namespace berth::remote
