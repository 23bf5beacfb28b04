// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/worker_pool.h"
#include "framework/cluster_view.h"
#include "framework/cycle_state.h"
#include "framework/extension_points/filter.h"
#include "framework/extension_points/score.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/score_column.h"
#include "framework/status.h"
#include "framework/verdicts.h"

#include <vector>

// Filter and Score node by node, for plugins that offer only this form. The nodes are shared out over the threads of a
// pool; what is found goes to places of its own and is taken up in the order of the nodes, so that the number of
// threads changes nothing.
namespace berth::runtime {

// What is asked, and by whom.
struct PlainQuestion {
  const framework::CycleState& state;
  const framework::PodInfo& pod;
  const framework::ClusterView& cluster;
  WorkerPool* workers;  // null: on this thread alone
};

// What Filter said, node by node. Kept for its memory.
struct PlainVerdicts {
  std::vector<framework::NodeId> nodes;
  std::vector<framework::Status> verdicts;
};

// Rejects among the passing nodes. A status that is no rejection ends it: that of the lowest node is returned.
framework::Status FilterNodes(const PlainQuestion& question, const framework::FilterPlugin& plugin,
                              PlainVerdicts& scratch, framework::Verdicts& verdicts);

// Scores the feasible nodes. Of several errors, that of the lowest node is returned.
Result<void> ScoreNodes(const PlainQuestion& question, const framework::ScorePlugin& plugin,
                        framework::ScoreColumn& scores);

}  // namespace berth::runtime
