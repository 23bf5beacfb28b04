// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/pod_info.h"
#include "simulator/described_cluster.h"

#include <string>
#include <vector>

namespace berth::cmd {

// The pod named by command-line arguments, as "namespace/name": "pod/NS/NAME", "pod/NAME", "NS/NAME", "NAME", and "pod
// NAME" or "pod NS/NAME" as two arguments. "po" and "pods" stand for "pod". The namespace defaults to "default".
Result<std::string> PodKeyFrom(const std::vector<std::string>& words);

// The pod with that key, pending or running. The error says why there is none, and suggests similar names.
Result<framework::PodInfoPtr> FindPod(const simulator::DescribedCluster& cluster, const std::string& key);

// Fails, suggesting similar names, unless the cluster has the node.
Result<void> CheckNode(const simulator::DescribedCluster& cluster, const std::string& name);

}  // namespace berth::cmd
