// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/resource.h"
#include "framework/status.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::explain {

// Which resources the node is short of, by the reasons of NodeResourcesFit: those it ignores do not count.
std::vector<Shortfall> ShortfallsOf(const framework::PodInfo& pod, const framework::NodeInfo& node,
                                    const framework::Status& verdict, framework::ResourceNames& names);

// What stands between the pod and the node, with the values that were compared: "taint gpu=true:NoSchedule",
// "needs pool=gpu, has pool=web". Empty for plugins whose reasons say it all.
std::vector<std::string> LacksOf(const framework::PodInfo& pod, const framework::NodeInfo& node,
                                 const framework::Status& verdict, framework::ResourceNames& names);

}  // namespace berth::explain
