// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/load_cluster.h"
#include "cmd/streams.h"
#include "framework/registry.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::cmd {

struct ExplainOptions {
  ClusterOptions cluster;
  std::vector<std::string> target;  // the arguments that name the pod
  std::string node;                 // explain only this node
  std::string output = "text";      // text, wide, json or yaml
  bool colour = false;
  std::string record;          // explain the attempts in this record instead
  std::optional<int> attempt;  // with `record`: only this attempt
};

// `berth explain`: why here, why not there? 0 when the pod can be placed (with `node`: there), 3 when not or not yet
// (gated), 1 when there is no such pod or node or the files are unusable, 2 when the arguments do not name a pod.
int RunExplain(const ExplainOptions& options, const framework::Registry& registry, const Streams& streams);

// The same for a cluster that is already loaded.
int RunExplain(const LoadedCluster& loaded, const ExplainOptions& options, const Streams& streams);

}  // namespace berth::cmd
