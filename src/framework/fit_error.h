// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/verdicts.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// How many nodes gave each reason.
using ReasonCounts = std::map<std::string, size_t>;

ReasonCounts CountReasons(const Verdicts& verdicts);

// "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s).", the reasons sorted as text with
// their counts. The words are upstream's, because people and alerts match them.
std::string NoNodesAvailable(size_t node_count, const ReasonCounts& reasons);
// The same when PreFilter spoke for all nodes at once.
std::string NoNodesAvailable(size_t node_count, std::string_view pre_filter_message);

// Names of the plugins that rejected at least one node, sorted.
std::vector<std::string> RejectingPlugins(const Verdicts& verdicts);
// Those of them that wait for something outside the cluster, sorted.
std::vector<std::string> PendingPlugins(const Verdicts& verdicts);

}  // namespace berth::framework
