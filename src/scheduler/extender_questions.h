// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "base/string_map.h"
#include "framework/extender.h"
#include "framework/status.h"
#include "log/logger.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What extenders are asked in one cycle, one question after the other. Asking needs neither the engine nor its cluster:
// it goes on from answer to answer, on the extenders' threads, and ends with exactly one call of `ended`.
namespace berth::scheduler {

// What a pod's extenders said of the nodes they were asked about.
struct NodesSay {
  struct Scores {
    std::string extender;
    StringMap<int64_t> by_node;  // weighted, and scaled to the plugins' range
  };
  std::string error;                      // of an extender that must not be ignored: nothing else counts
  StringSet passed;                       // every filter
  StringMap<framework::Status> rejected;  // with what the pod is told; nodes left out in silence are in neither
  std::vector<Scores> scores;
};

// Filters one after the other, each about what the one before has left; then, when several nodes are left, all
// priorities at once.
void AskAboutNodes(std::vector<framework::Extender*> extenders, api::PodPtr pod, std::vector<api::NodePtr> nodes,
                   log::Logger log, std::function<void(NodesSay)> ended);

// A node where pods would be evicted, with everything that is there: an extender may choose others.
struct ProposedNode {
  framework::Extender::Candidate candidate;
  std::vector<api::PodPtr> pods;
};

struct VictimsSay {
  std::string error;
  std::vector<framework::Extender::Candidate> candidates;  // those that remain
};

// One extender after the other, each about what the one before has left.
void AskAboutVictims(std::vector<framework::Extender*> extenders, api::PodPtr pod, std::vector<ProposedNode> nodes,
                     log::Logger log, std::function<void(VictimsSay)> ended);

}  // namespace berth::scheduler
