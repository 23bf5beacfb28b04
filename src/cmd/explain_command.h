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
  std::vector<std::string> target;  // the words that name the pod
  std::string node;                 // ask about this node only
  std::string output = "text";      // text, wide, json or yaml
  bool colour = false;
  std::string record;          // ask about the past in this record instead
  std::optional<int> attempt;  // of the past: only this one
};

// `berth explain`: why here, why not there? 0 when the pod can be placed (with `node`: there), 3 when not or not
// yet (gated), 1 when there is no such pod or node or the files cannot be used, 2 when the pod is not named properly.
int RunExplain(const ExplainOptions& options, const framework::Registry& registry, const Streams& streams);

// The same for a cluster that is loaded already.
int RunExplain(const LoadedCluster& loaded, const ExplainOptions& options, const framework::Registry& registry,
               const Streams& streams);

}  // namespace berth::cmd
