// SPDX-License-Identifier: Apache-2.0
#include "explain/preemption_answer.h"

#include <algorithm>
#include <tuple>

namespace berth::explain {
namespace {

using framework::PreemptionChoice;
using runtime::Profile;

// The budgets that allow fewer disruptions than the choice needs.
std::vector<std::string> BrokenBudgets(const PreemptionChoice& choice, const framework::Lister& lister) {
  std::vector<std::string> broken;
  for (const api::PodDisruptionBudget* budget : lister.PodDisruptionBudgets()) {
    const Result<api::Selector> selector = api::Selector::From(budget->selector);
    if (!selector || selector->selects_everything()) continue;
    int32_t disrupted = 0;
    for (const framework::PodInfoPtr& victim : choice.victims) {
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

std::vector<PreemptionOption> OptionsOf(const std::vector<PreemptionChoice>& choices, const framework::Lister& lister) {
  std::vector<PreemptionOption> options;
  for (const PreemptionChoice& choice : choices) {
    PreemptionOption option{choice.node, {}, choice.budget_violations, {}, choice.best};
    for (const framework::PodInfoPtr& victim : choice.victims) {
      option.victims.push_back({victim->pod->meta.Key(), victim->pod->priority()});
    }
    if (choice.budget_violations > 0) option.broken_budgets = BrokenBudgets(choice, lister);
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
  const std::vector<std::string_view> plugins = profile.plugins().NamesAt(framework::ExtensionPoint::PostFilter);
  if (plugins.empty()) return std::nullopt;
  PreemptionAnswer answer;
  for (const std::string_view name : plugins) {
    const framework::DescribePreemptionPlugin* describer = profile.plugins().Find(name)->describe_preemption;
    if (describer == nullptr) continue;
    const framework::PreemptionDescription described =
        describer->DescribePreemption(cycle.state, pod, profile.indexed_cluster(), cycle.verdicts);
    answer.forbidden = described.forbidden;
    answer.options = OptionsOf(described.choices, profile.lister());
    break;  // only the first plugin that describes preemption counts
  }
  answer.message = profile.filtering().RunPostFilter(cycle, pod).status.Message();
  return answer;
}

}  // namespace berth::explain
