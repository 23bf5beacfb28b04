// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "framework/pod_info.h"
#include "runtime/cycle.h"
#include "runtime/profile.h"
#include "scheduler/consultation.h"
#include "scheduler/node_sampling.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::scheduler {

// What one scheduling cycle came to.
struct Decision {
  enum class Outcome { Placed, Unschedulable, Error };
  bool asks = false;  // nothing is decided: extenders must answer the consultation's question first
  Outcome outcome = Outcome::Error;
  framework::NodeId node = framework::kNoNode;  // when placed
  int64_t score = 0;                            // its total; 0 when it was the only feasible node
  size_t best_count = 0;                        // how many nodes shared the highest total
  framework::Status pre_filter;
  framework::PostFilterResult post_filter;
  std::vector<std::string> rejectors;  // plugins that rejected the pod or one of its nodes, sorted
  std::vector<std::string> pending;    // those of them that wait for something outside the cluster
  bool ran_post_filter = false;
  std::string message;  // as in the FailedScheduling event; empty when placed
};

struct DecideOptions {
  bool run_post_filter = true;
  // Scores only a share of the feasible nodes, and asks extenders only about these; null takes them all.
  NodeSampling* sampling = nullptr;
  // What extenders say; null when none has a say in the pod.
  Consultation* consultation = nullptr;
  // Keeps what each Score plugin said about each feasible node.
  std::vector<runtime::PluginScores>* score_detail = nullptr;
};

// Decides where a pod goes: PreFilter, Filter, then either PreScore, Score and the choice of the best node, or
// PostFilter. Changes nothing in the cluster (PostFilter plugins may, through their Handle). `cycle` keeps the details.
Decision Decide(const runtime::Profile& profile, const framework::PodInfo& pod, runtime::Cycle& cycle, Rng& rng,
                const DecideOptions& options = {});

}  // namespace berth::scheduler
