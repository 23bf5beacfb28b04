// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include "base/rng.h"
#include "explain/advice.h"
#include "explain/judged_nodes.h"
#include "explain/pod_needs.h"
#include "explain/preemption_answer.h"
#include "framework/silent_roles.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"
#include "scheduler/decide.h"

#include <algorithm>

namespace berth::explain {
namespace {

using framework::PodInfo;
using framework::PodInfoPtr;
using framework::Status;
using runtime::Cycle;
using runtime::Profile;
using scheduler::Decision;

// The pod as if it had never been placed.
PodInfoPtr Unplaced(const PodInfoPtr& pod) {
  api::Pod copy = *pod->pod;
  copy.node_name.clear();
  api::PodStatus status = *copy.status;
  status.nominated_node_name.clear();
  copy.status = std::make_shared<const api::PodStatus>(std::move(status));
  return std::make_shared<const PodInfo>(PodInfo{std::make_shared<const api::Pod>(std::move(copy)), pod->pod_class});
}

// A fork of the cluster with a profile of its own.
class Fork {
 public:
  explicit Fork(const Situation& situation)
      : cluster(situation.cluster), nominations(situation.nominations), waiting_(situation.clock) {}

  Result<void> BuildProfile(const Situation& situation) {
    runtime::Services services;
    services.cluster = &cluster;
    services.lister = &cluster.objects();
    services.resource_names = &cluster.resource_names();
    services.nominator = &nominations;
    services.waiting_pods = &waiting_;
    services.evictor = &silent_;
    services.events = &silent_;
    services.clock = &situation.clock;
    BERTH_ASSIGN_OR_RETURN(profile, Profile::Build(situation.plan, situation.registry, services));
    return {};
  }

  cluster::ClusterState cluster;
  queue::NominatedPods nominations;
  std::unique_ptr<Profile> profile;

 private:
  runtime::WaitingPodTable waiting_;
  framework::SilentRoles silent_;
};

void AddScores(const Profile& profile, const Cycle& cycle, const std::vector<runtime::PluginScores>& said,
               Explanation& explanation) {
  for (size_t i = 0; i < cycle.feasible.size(); ++i) {
    ScoredNode node{profile.cluster().node(cycle.feasible[i]).name(), 0, {}};
    if (!said.empty()) node.total = cycle.totals[i];
    for (const runtime::PluginScores& scores : said) {
      node.parts.push_back({scores.plugin, scores.weight, scores.raw[i], scores.weighted[i]});
    }
    explanation.feasible.push_back(std::move(node));
  }
  std::sort(explanation.feasible.begin(), explanation.feasible.end(), [&](const ScoredNode& a, const ScoredNode& b) {
    if (a.total != b.total) return a.total > b.total;
    const bool a_chosen = a.name == explanation.chosen;
    const bool b_chosen = b.name == explanation.chosen;
    return a_chosen != b_chosen ? a_chosen : a.name < b.name;
  });
}

// Runs every plugin on every node, for the funnel, the matrix and the scores. Called only after PreFilter has passed,
// so the plugins' state is complete.
Status JudgeAll(const Profile& profile, const PodInfo& pod, Explanation& explanation) {
  Cycle cycle;
  cycle.Reset();
  if (Status status = profile.filtering().RunPreFilter(cycle, pod); !status.ok()) return status;
  if (Status status = profile.filtering().RunFilter(cycle, pod); !status.ok()) return status;
  explanation.funnel = FunnelOf(profile, cycle);
  explanation.rejected = RejectedNodes(profile, cycle, pod);
  std::vector<runtime::PluginScores> said;
  if (cycle.feasible.size() > 1) {
    if (Status status = profile.scoring().RunPreScore(cycle, pod); !status.ok()) return status;
    if (Status status = profile.scoring().RunScore(cycle, pod, &said); !status.ok()) return status;
  }
  AddScores(profile, cycle, said, explanation);
  return Status::Success();
}

void TakeDecision(const Profile& profile, const Decision& decision, Explanation& explanation) {
  explanation.message = decision.message;
  switch (decision.outcome) {
    case Decision::Outcome::Placed:
      explanation.outcome = Explanation::Outcome::Placed;
      explanation.chosen = profile.cluster().node(decision.node).name();
      explanation.tied = decision.best_count;
      break;
    case Decision::Outcome::Unschedulable: explanation.outcome = Explanation::Outcome::Unschedulable; break;
    case Decision::Outcome::Error: explanation.outcome = Explanation::Outcome::Error; break;
  }
}

void SpeakForAllNodes(const Status& pre_filter, Explanation& explanation) {
  explanation.pre_filter_plugin = pre_filter.plugin();
  explanation.pre_filter_message = pre_filter.Message();
  explanation.funnel = {{explanation.pre_filter_plugin,
                         "PreFilter",
                         explanation.node_count,
                         0,
                         {{pre_filter.Message(), explanation.node_count}}}};
}

}  // namespace

Result<Explanation> Explain(const Situation& situation, const PodInfoPtr& asked) {
  Fork fork(situation);
  BERTH_RETURN_IF_ERROR(fork.BuildProfile(situation));
  Profile& profile = *fork.profile;
  Explanation explanation;
  explanation.pod = (*asked)->meta.Key();
  explanation.profile = profile.profile_name();
  explanation.runs_on = (*asked)->node_name;
  explanation.node_count = fork.cluster.node_count();
  explanation.needs = NeedsOf(*asked, fork.cluster.resource_names());
  if (!explanation.runs_on.empty()) fork.cluster.RemovePod(framework::PodUid(**asked));
  const PodInfoPtr pod = explanation.runs_on.empty() ? asked : Unplaced(asked);

  if (Status gate = profile.RunPreEnqueue(**pod); !gate.ok()) {
    explanation.gated_by = gate.plugin();
    explanation.gate_message = gate.Message();
  }
  Rng rng(0);
  Cycle cycle;
  fork.cluster.BeginCycle();
  Decision decision = scheduler::Decide(profile, *pod, cycle, rng, {.run_post_filter = false});
  TakeDecision(profile, decision, explanation);
  if (decision.outcome == Decision::Outcome::Error || explanation.node_count == 0) return explanation;

  explanation.nominated_before =
      !explanation.chosen.empty() && (*pod)->status->nominated_node_name == explanation.chosen;
  if (decision.pre_filter.ok()) {
    Status status = JudgeAll(profile, *pod, explanation);
    if (!status.ok()) return InvalidError(status.Message());
  } else {
    SpeakForAllNodes(decision.pre_filter, explanation);
  }
  const bool has_runner_up = explanation.feasible.size() > 1 && explanation.feasible.front().name == explanation.chosen;
  if (has_runner_up) explanation.runner_up = Compare(explanation.feasible[0], explanation.feasible[1]);
  if (decision.outcome == Decision::Outcome::Unschedulable) {
    explanation.preemption = AskPreemption(profile, cycle, *pod);
    if (explanation.preemption && !explanation.preemption->message.empty()) {
      explanation.message += " " + explanation.preemption->message;
    }
    explanation.would_help = AdviceFor(explanation);
  }
  return explanation;
}

}  // namespace berth::explain
