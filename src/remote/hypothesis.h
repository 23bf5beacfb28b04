// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/node_info.h"
#include "remote/plugin_calls.h"
#include "remote/remote_cycle.h"

#include <span>
#include <vector>

namespace berth::remote {

// How the pods of `node` came about from those that the other side knows: by the changes that were recorded for it, or,
// where these do not lead there, by the difference.
std::vector<NodeChange> ChangesTo(const framework::NodeInfo& node, const std::vector<framework::PodInfoPtr>& known,
                                  std::span<const NodeChange> recorded);

// The node as it would be, for the plugin.
void WriteHypothesis(const framework::NodeInfo& node, const std::vector<NodeChange>& changes, PluginCalls& calls,
                     wire::Hypothesis& hypothesis);

}  // namespace berth::remote
