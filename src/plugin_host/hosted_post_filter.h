// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/plugin.h"
#include "plugin_host/host_handle.h"
#include "plugin_host/hosted_cycle.h"

#include <berth/plugin/v1/plugin.pb.h>

namespace berth::plugin_host {

// PostFilter of a plugin that serves a session: fills the answer, or its error. The plugin may ask the scheduler
// meanwhile.
void AnswerPostFilter(const plugin::v1::Call& call, const framework::PluginInstance& plugin, HostHandle& handle,
                      HostedCycle& cycle, plugin::v1::Answer& answer);

}  // namespace berth::plugin_host
