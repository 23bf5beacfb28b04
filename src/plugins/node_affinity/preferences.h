// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/node_selector.h"
#include "base/bitset.h"
#include "framework/indexed_cluster.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace berth::plugins {

using Preferences = std::span<const api::PreferredSchedulingTerm>;

// Why upstream refuses to score by these terms, in its words, or nothing. The API server lets through label values and
// bounds of Gt and Lt that the scheduler then cannot parse.
std::optional<std::string> PreferencesProblem(Preferences terms);

// The sum of the weights of the terms that match the node.
int64_t ScoreOf(Preferences terms, const api::Node& node);

// The same for all nodes: what every node scores, and what some nodes score on top.
struct PreferredNodes {
  int64_t everywhere = 0;
  std::vector<std::pair<int64_t, Bitset>> somewhere;  // weight, nodes
  void Add(Preferences terms, framework::IndexedCluster& cluster);
};

}  // namespace berth::plugins
