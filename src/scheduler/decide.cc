// SPDX-License-Identifier: Apache-2.0
#include "scheduler/decide.h"

#include "framework/fit_error.h"
#include "runtime/score_kernels.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace berth::scheduler {

using framework::NodeId;
using framework::PodInfo;
using framework::Status;
using runtime::Cycle;
using runtime::Profile;

namespace {

Decision Failed(const Status& status) {
  Decision decision;
  decision.outcome = Decision::Outcome::Error;
  decision.message = status.Message();
  return decision;
}

void AddRejector(std::string_view plugin, std::vector<std::string>& rejectors) {
  if (plugin.empty()) return;
  const auto at = std::lower_bound(rejectors.begin(), rejectors.end(), plugin);
  if (at == rejectors.end() || *at != plugin) rejectors.insert(at, std::string(plugin));
}

Decision Asking() {
  Decision decision;
  decision.asks = true;
  return decision;
}

enum class Fit : uint8_t { No, Yes, MustAsk };

// The node this pod was promised earlier is most likely the only one that fits: it is tried before all others, and as
// upstream even if PreFilter has not named it.
Fit FitOfNominatedNode(const Profile& profile, const PodInfo& pod, Cycle& cycle, Consultation* consultation) {
  const std::string& name = pod->status->nominated_node_name;
  if (name.empty()) return Fit::No;
  const framework::ClusterView& cluster = profile.cluster();
  const NodeId id = cluster.FindNode(name);
  if (id == framework::kNoNode) return Fit::No;
  if (!profile.filtering().RunFilterPluginsWithNominatedPods(cycle.state, pod, cluster.node(id)).ok()) return Fit::No;
  if (consultation != nullptr) {
    bool passes = false;
    if (consultation->JudgeNominated(cluster.node(id).node, passes) == Consultation::Verdict::Ask) return Fit::MustAsk;
    if (!passes) return Fit::No;
  }
  cycle.verdicts.Reset(cluster.live_nodes());  // nobody was asked about the others
  cycle.feasible.assign(1, id);
  return Fit::Yes;
}

// Runs the filters of plugins and extenders over all nodes. The decision it returns, if any, ends the cycle.
std::optional<Decision> FilterNodes(const Profile& profile, const PodInfo& pod, Cycle& cycle,
                                    const DecideOptions& options, Decision& decision) {
  framework::IndexedCluster& cluster = profile.indexed_cluster();
  if (Status status = profile.filtering().RunFilter(cycle, pod); !status.ok()) return Failed(status);
  Consultation* consultation = options.consultation;
  if (consultation != nullptr && !consultation->MustAsk()) {
    bool rejected = false;
    const Consultation::Verdict verdict = consultation->Apply(cluster, cycle, rejected);
    if (rejected) AddRejector(framework::kExtenderName, decision.rejectors);
    if (verdict == Consultation::Verdict::Broken) return Failed(Status::FromError(consultation->error()));
    if (verdict == Consultation::Verdict::GoOn) return std::nullopt;
  }
  if (options.sampling != nullptr) options.sampling->Narrow(cluster, cycle.narrowed_to, cycle.feasible);
  if (consultation == nullptr || !consultation->MustAsk() || cycle.feasible.empty()) return std::nullopt;
  consultation->AskAbout(cluster, cycle);
  return Asking();
}

// Picks one of the nodes with the highest total, each with equal chance.
void PickBest(const Cycle& cycle, Rng& rng, Decision& decision) {
  const auto [best, count] = runtime::FindBest(cycle.totals);
  decision.score = best;
  decision.best_count = count;
  uint64_t skip = decision.best_count > 1 ? rng.Below(decision.best_count) : 0;
  for (size_t i = 0; i < cycle.totals.size(); ++i) {
    if (cycle.totals[i] != best || skip-- > 0) continue;
    decision.node = cycle.feasible[i];
    return;
  }
}

// Says whether extenders must be asked first.
bool RunPostFilter(const Profile& profile, const PodInfo& pod, Cycle& cycle, Decision& decision) {
  if (!profile.plugins().HasAnyAt(framework::ExtensionPoint::PostFilter)) return false;
  decision.ran_post_filter = true;
  decision.post_filter = profile.filtering().RunPostFilter(cycle, pod);
  if (decision.post_filter.status.code() == framework::Code::Wait) return true;
  if (const std::string text = decision.post_filter.status.Message(); !text.empty()) decision.message += " " + text;
  return false;
}

}  // namespace

Decision Decide(const Profile& profile, const PodInfo& pod, Cycle& cycle, Rng& rng, const DecideOptions& options) {
  cycle.Reset();
  framework::IndexedCluster& cluster = profile.indexed_cluster();
  Decision decision;
  if (cluster.node_count() == 0) {
    // A verdict to users, but no plugin's: only time brings the pod back.
    decision.outcome = Decision::Outcome::Unschedulable;
    decision.message = "no nodes available to schedule pods";
    return decision;
  }
  decision.pre_filter = profile.filtering().RunPreFilter(cycle, pod);
  for (const std::string& plugin : cycle.narrowing_plugins) AddRejector(plugin, decision.rejectors);
  if (!decision.pre_filter.ok()) {
    if (!decision.pre_filter.is_rejected()) return Failed(decision.pre_filter);
    cycle.verdicts.Reset(cluster.live_nodes());
    cycle.verdicts.RejectEverything(cycle.verdicts.Intern(decision.pre_filter));
    AddRejector(decision.pre_filter.plugin(), decision.rejectors);
    decision.outcome = Decision::Outcome::Unschedulable;
    decision.message = framework::NoNodesAvailable(cluster.node_count(), decision.pre_filter.Message());
    if (options.run_post_filter && RunPostFilter(profile, pod, cycle, decision)) return Asking();
    return decision;
  }

  const Fit fit = FitOfNominatedNode(profile, pod, cycle, options.consultation);
  if (fit == Fit::MustAsk) return Asking();
  if (fit == Fit::No) {
    if (std::optional<Decision> ended = FilterNodes(profile, pod, cycle, options, decision)) return *std::move(ended);
  }
  if (cycle.feasible.empty()) {
    for (const std::string& plugin : framework::RejectingPlugins(cycle.verdicts)) {
      AddRejector(plugin, decision.rejectors);
    }
    for (const std::string& plugin : framework::PendingPlugins(cycle.verdicts)) AddRejector(plugin, decision.pending);
    decision.outcome = Decision::Outcome::Unschedulable;
    decision.message = framework::NoNodesAvailable(cluster.node_count(), framework::CountReasons(cycle.verdicts));
    if (options.run_post_filter && RunPostFilter(profile, pod, cycle, decision)) return Asking();
    return decision;
  }

  decision.outcome = Decision::Outcome::Placed;
  decision.rejectors.clear();
  if (cycle.feasible.size() == 1) {
    decision.node = cycle.feasible.front();
    decision.best_count = 1;
    return decision;
  }
  if (Status status = profile.scoring().RunPreScore(cycle, pod); !status.ok()) return Failed(status);
  if (Status status = profile.scoring().RunScore(cycle, pod, options.score_detail); !status.ok()) return Failed(status);
  if (options.consultation != nullptr) options.consultation->AddScores(cluster, cycle);
  PickBest(cycle, rng, decision);
  return decision;
}

}  // namespace berth::scheduler
