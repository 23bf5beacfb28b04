// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/cluster_state.h"
#include "framework/pod_info.h"

#include <span>
#include <string>
#include <vector>

namespace berth::simulator {

// One sentence for each object that pods name and the files do not describe: nodes, namespaces, claims.
std::vector<std::string> MissingObjects(const cluster::ClusterState& cluster,
                                        std::span<const framework::PodInfoPtr> pods);

}  // namespace berth::simulator
