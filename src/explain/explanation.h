// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extension_points/describe_rejection.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The answer to "why here, why not there?": plain data, filled by Explain() and formatted by the renderers.
namespace berth::explain {

struct Amount {
  std::string resource;
  int64_t value = 0;
};

// What the pod requires of a node.
struct PodNeeds {
  std::vector<Amount> requests;
  std::vector<std::pair<std::string, std::string>> node_selector;
  std::vector<std::string> rules;  // affinity, spreading, ports, claims: one readable phrase each
  int32_t priority = 0;
};

// One filtering step: how many of the nodes remaining before it were rejected, and why.
struct FunnelStep {
  std::string plugin;
  std::string point;  // "PreFilter" or "Filter"
  size_t rejected = 0;
  size_t left = 0;
  std::vector<std::pair<std::string, size_t>> reasons;  // most frequent first
};

using framework::Remedy;
using framework::Shortfall;

// One plugin's objection to a node.
struct Objection {
  std::string plugin;
  std::string code;
  std::vector<std::string> reasons;  // as in the event
  std::vector<std::string> lacks;    // the same with the values compared, where the plugin describes them
  std::vector<Remedy> remedies;      // what the plugin says would help
  bool says_what_helps = false;      // by remedies or by numbers; no generic advice is added
};

// Every objection to one node: all plugins that reject it, not only the first.
struct RejectedNode {
  std::string name;
  std::vector<Objection> objections;
  std::vector<Shortfall> shortfalls;
  bool preemption_may_help = false;
};

struct ScorePart {
  std::string plugin;
  int32_t weight = 0;
  int64_t raw = 0;
  int64_t weighted = 0;
};

struct ScoredNode {
  std::string name;
  int64_t total = 0;
  std::vector<ScorePart> parts;
};

// How the chosen node compares with another.
struct Comparison {
  std::string winner;
  std::string other;
  int64_t margin = 0;
  std::vector<std::pair<std::string, int64_t>> differences;  // by plugin, largest first, without zeros
};

struct Victim {
  std::string pod;
  int32_t priority = 0;
};

struct PreemptionOption {
  std::string node;
  std::vector<Victim> victims;
  int64_t budget_violations = 0;
  std::vector<std::string> broken_budgets;
  bool best = false;  // may be nominated
};

struct PreemptionAnswer {
  std::string forbidden;                  // why the pod must not evict others; empty when it may
  std::vector<PreemptionOption> options;  // best first
  std::string message;                    // what PostFilter said
};

struct Explanation {
  enum class Outcome : uint8_t { Placed, Unschedulable, Error };

  std::string pod;  // namespace/name
  std::string profile;
  Outcome outcome = Outcome::Error;
  std::string runs_on;       // the node the pod runs on now
  std::string gated_by;      // the PreEnqueue plugin that rejected it
  std::string gate_message;  // that plugin's message
  PodNeeds needs;

  size_t node_count = 0;
  std::string pre_filter_plugin;   // set when a PreFilter plugin rejected the pod for all nodes
  std::string pre_filter_message;  // its message
  std::vector<FunnelStep> funnel;
  std::vector<RejectedNode> rejected;  // closest first: fewest objections, then preemption may help, least shortfall
  std::vector<ScoredNode> feasible;    // best first; without parts when only one node is feasible
  std::string chosen;
  bool nominated_before = false;  // chosen because the pod was nominated to it before
  size_t tied = 0;                // how many nodes share the highest total
  std::optional<Comparison> runner_up;

  std::optional<PreemptionAnswer> preemption;
  std::vector<std::string> would_help;
  std::string message;        // as in the FailedScheduling event; empty when the pod can be placed
  size_t others_pending = 0;  // other pending pods, which are not considered; set by the caller

  const RejectedNode* FindRejected(const std::string& node) const;
  const ScoredNode* FindFeasible(const std::string& node) const;
  // Whether the pod can be placed: on that node, or anywhere when none is named.
  bool Agrees(const std::string& node) const;
};

// How two feasible nodes differ, plugin by plugin.
Comparison Compare(const ScoredNode& winner, const ScoredNode& other);

}  // namespace berth::explain
