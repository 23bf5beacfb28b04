// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/victims.h"

#include "plugins/default_preemption/library_order.h"

#include <algorithm>

namespace berth::plugins {

using framework::CycleState;
using framework::NodeInfo;
using framework::PluginRunner;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::PodUid;
using framework::Status;

namespace {

// Splits pods by whether evicting them, in this order, breaks a budget. Both parts keep the order.
void SplitByBudget(const std::vector<PodInfoPtr>& pods, std::span<const api::PodDisruptionBudget* const> budgets,
                   std::vector<PodInfoPtr>& violating, std::vector<PodInfoPtr>& harmless) {
  std::vector<int32_t> allowed;
  std::vector<api::Selector> selectors;
  for (const api::PodDisruptionBudget* budget : budgets) {
    allowed.push_back(budget->disruptions_allowed);
    Result<api::Selector> selector = api::Selector::From(budget->selector);
    // A budget whose selector is absent, empty or malformed protects nobody.
    const bool usable = selector && !selector->selects_everything();
    selectors.push_back(usable ? std::move(*selector) : api::Selector::Nothing());
  }
  for (const PodInfoPtr& pod : pods) {
    const api::ObjectMeta& meta = pod->pod->meta;
    bool violates = false;
    for (size_t i = 0; !meta.labels.empty() && i < budgets.size(); ++i) {
      if (budgets[i]->meta.namespace_ != meta.namespace_ || !selectors[i].Matches(meta.labels)) continue;
      const auto& disrupted = budgets[i]->disrupted_pods;
      if (std::find(disrupted.begin(), disrupted.end(), meta.name) != disrupted.end()) continue;
      violates = --allowed[i] < 0 || violates;
    }
    (violates ? violating : harmless).push_back(pod);
  }
}

}  // namespace

Timestamp StartTimeOf(const api::Pod& pod, Timestamp now) { return pod.status->start_time.value_or(now); }

bool IsMoreImportant(const api::Pod& a, const api::Pod& b, Timestamp now) {
  if (a.priority() != b.priority()) return a.priority() > b.priority();
  return StartTimeOf(a, now) < StartTimeOf(b, now);
}

Status SelectVictims(const PluginRunner& runner, CycleState& state, const PodInfo& pod, NodeInfo node,
                     std::span<const api::PodDisruptionBudget* const> budgets, Timestamp now,
                     PreemptionCandidate& candidate) {
  const auto take_off = [&](const PodInfoPtr& victim) {
    BERTH_CHECK(node.RemovePod(PodUid(*victim->pod)));
    return runner.RunPreFilterRemovePod(state, pod, *victim, node);
  };
  const auto bring_back = [&](const PodInfoPtr& victim) {
    node.AddPod(victim);
    return runner.RunPreFilterAddPod(state, pod, *victim, node);
  };
  const auto more_important = [&](const PodInfoPtr& a, const PodInfoPtr& b) {
    return IsMoreImportant(*a->pod, *b->pod, now);
  };

  std::vector<PodInfoPtr> eligible;
  for (const PodInfoPtr& other : node.pods) {
    if (other->pod->priority() < pod->priority()) eligible.push_back(other);
  }
  for (const PodInfoPtr& victim : eligible) {
    if (Status status = take_off(victim); !status.ok()) return status;
  }
  if (eligible.empty()) return Status::Unresolvable("No preemption victims found for incoming pod");
  if (Status status = runner.RunFilterPluginsWithNominatedPods(state, pod, node); !status.ok()) return status;

  SortInLibraryOrder(eligible, more_important);
  std::vector<PodInfoPtr> violating;
  std::vector<PodInfoPtr> harmless;
  SplitByBudget(eligible, budgets, violating, harmless);

  candidate.victims.clear();
  candidate.pdb_violations = 0;
  for (const auto* group : {&violating, &harmless}) {
    for (const PodInfoPtr& reprieved : *group) {
      if (Status status = bring_back(reprieved); !status.ok()) return status;
      if (runner.RunFilterPluginsWithNominatedPods(state, pod, node).ok()) continue;
      if (Status status = take_off(reprieved); !status.ok()) return status;
      candidate.victims.push_back(reprieved);
      if (group == &violating) ++candidate.pdb_violations;
    }
  }
  if (!violating.empty() && !harmless.empty()) {
    SortInLibraryOrder(candidate.victims, more_important);
  }
  if (candidate.victims.empty()) {
    return Status::FromError("expected at least one victim pod on node \"" + node.name() + "\"");
  }
  candidate.node = node.id;
  candidate.node_name = node.name();
  return Status::Success();
}

}  // namespace berth::plugins
