// SPDX-License-Identifier: Apache-2.0
#include "explain/preemption_answer.h"

#include "plugins/default_preemption/default_preemption.h"
#include "plugins/default_preemption/pick_candidate.h"
#include "plugins/default_preemption/preemption.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace berth::explain {
namespace {

using plugins::PreemptionCandidate;
using runtime::Profile;

// Budgets that allow fewer disruptions than the candidate needs.
std::vector<std::string> BrokenBudgets(const PreemptionCandidate& candidate, const framework::Lister& lister) {
  std::vector<std::string> broken;
  for (const api::PodDisruptionBudget* budget : lister.PodDisruptionBudgets()) {
    const Result<api::Selector> selector = api::Selector::From(budget->selector);
    if (!selector || selector->selects_everything()) continue;
    int32_t disrupted = 0;
    for (const framework::PodInfoPtr& victim : candidate.victims) {
      const api::ObjectMeta& meta = victim->pod->meta;
      const bool covered = meta.namespace_ == budget->meta.namespace_ && !meta.labels.empty() &&
                           selector->Matches(meta.labels) &&
                           std::find(budget->disrupted_pods.begin(), budget->disrupted_pods.end(), meta.name) ==
                               budget->disrupted_pods.end();
      disrupted += covered ? 1 : 0;
    }
    if (disrupted > budget->disruptions_allowed) broken.push_back(budget->meta.Key());
  }
  return broken;
}

std::vector<PreemptionOption> OptionsOf(Profile& profile, const runtime::Cycle& cycle, const framework::PodInfo& pod) {
  const plugins::PreemptionSearch search =
      plugins::FindCandidates(profile, cycle.state, pod, cycle.verdicts, /*start=*/0, /*wanted=*/0);
  std::vector<PreemptionOption> options;
  if (search.candidates.empty()) return options;
  std::set<const PreemptionCandidate*> best;
  for (const PreemptionCandidate* one : plugins::BestCandidates(search.candidates, profile.clock().Now())) {
    best.insert(one);
  }
  for (const PreemptionCandidate& candidate : search.candidates) {
    PreemptionOption option{candidate.node_name, {}, candidate.pdb_violations, {}, best.contains(&candidate)};
    for (const framework::PodInfoPtr& victim : candidate.victims) {
      option.victims.push_back({victim->pod->meta.Key(), victim->pod->priority()});
    }
    if (candidate.pdb_violations > 0) option.broken_budgets = BrokenBudgets(candidate, profile.lister());
    options.push_back(std::move(option));
  }
  const auto order = [](const PreemptionOption& option) {
    return std::make_tuple(!option.best, option.budget_violations, option.victims.size(), option.node);
  };
  std::sort(options.begin(), options.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return options;
}

}  // namespace

std::optional<PreemptionAnswer> AskPreemption(Profile& profile, runtime::Cycle& cycle, const framework::PodInfo& pod) {
  if (profile.PluginsAt(framework::ExtensionPoint::PostFilter).empty()) return std::nullopt;
  PreemptionAnswer answer;
  if (profile.FindPlugin(plugins::kDefaultPreemption) != nullptr) {
    answer.forbidden = plugins::PreemptionForbidden(profile.cluster(), pod, cycle.verdicts);
    if (answer.forbidden.empty()) answer.options = OptionsOf(profile, cycle, pod);
  }
  answer.message = profile.RunPostFilter(cycle, pod).status.Message();
  return answer;
}

}  // namespace berth::explain
