// SPDX-License-Identifier: Apache-2.0
#include "scheduler/evictions.h"

#include "framework/node_info.h"
#include "metrics/scheduler_metrics.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::PodInfo;
using framework::PodInfoPtr;
using framework::PodUid;
using home::Outcome;

void Evictions::Note(const runtime::Profile& profile, const PodInfo& preemptor, std::string_view node,
                     std::span<const PodInfoPtr> victims, std::string_view plugin) {
  Preemption preemption;
  preemption.profile = &profile;
  preemption.preemptor = std::make_shared<const PodInfo>(preemptor);
  preemption.node = node;
  preemption.plugin = plugin;
  preemption.awaited = !engine_.options.gates.Enabled(features::Gate::SchedulerAsyncPreemption);
  // A pod that is being deleted already needs nobody's help.
  std::ranges::copy_if(victims, std::back_inserter(preemption.victims),
                       [](const PodInfoPtr& victim) { return !victim->pod->is_terminating(); });
  preemption.started = std::chrono::steady_clock::now();
  if (preemption.victims.empty() && !preemption.awaited) return;
  engine_.log.V(2).Info("the target node for the preemption is determined",
                        {{"node", node}, {"pod", NameOf(*preemptor.pod)}});
  if (engine_.metrics != nullptr) engine_.metrics->PreemptionVictims(victims.size());
  noted_.push_back(std::move(preemption));
}

void Evictions::BeginNoted() {
  for (Preemption& noted : std::exchange(noted_, {})) {
    if (!noted.awaited) ClearNominations(noted);
    std::string uid(PodUid(*noted.preemptor->pod));
    const auto it = preemptions_.insert_or_assign(std::move(uid), std::move(noted)).first;
    GoOn(it);
  }
}

// The room is for the preemptor now: less important pods that were promised the node look elsewhere.
void Evictions::ClearNominations(const Preemption& preemption) {
  const std::span<const PodInfoPtr> promised = engine_.nominated.PodsFor(preemption.node);
  const std::vector<PodInfoPtr> nominated(promised.begin(), promised.end());
  for (const PodInfoPtr& other : nominated) {
    if (other->pod->priority() >= preemption.preemptor->pod->priority()) continue;
    engine_.nominated.Remove(PodUid(*other->pod));
    engine_.PatchStatus({other->pod, {}, std::string()});
    const queue::QueuedPod* queued = engine_.queue->Find(PodUid(*other->pod));
    if (queued == nullptr) continue;
    const PodInfoPtr before = queued->pod;
    engine_.queue->Update(before, engine_.classes.InfoOf(engine_.shadow.Over(before->pod), before.get()));
    engine_.WakeByFreedRoom(before->pod, before->pod->priority());
  }
}

void Evictions::GoOn(Table::iterator it) {
  Preemption& preemption = it->second;
  while (preemption.under_way.empty() && !preemption.victims.empty() && !preemption.failed) {
    const size_t count =
        preemption.awaited ? preemption.victims.size() : std::max<size_t>(preemption.victims.size() - 1, 1);
    std::vector<PodInfoPtr> next(preemption.victims.begin(),
                                 preemption.victims.begin() + static_cast<std::ptrdiff_t>(count));
    // The last stays listed until its eviction has ended: IsPreempting looks whether it is gone.
    if (preemption.awaited) {
      preemption.victims.clear();
    } else if (preemption.victims.size() > 1) {
      preemption.victims.erase(preemption.victims.begin(),
                               preemption.victims.begin() + static_cast<std::ptrdiff_t>(count));
    }
    for (const PodInfoPtr& victim : next) Evict(preemption, victim);
    const bool is_last = !preemption.victims.empty() && next.back() == preemption.victims.back();
    if (preemption.under_way.empty() && is_last) preemption.victims.clear();
  }
  if (preemption.under_way.empty()) End(it);
}

void Evictions::Evict(Preemption& preemption, const PodInfoPtr& victim) {
  const api::PodPtr& pod = victim->pod;
  if (attempts_.Preempt(PodUid(*pod), preemption.plugin)) {
    Report(preemption, pod, " (in kube-scheduler memory).");
    return;
  }
  const home::ConditionPatch condition{
      {"DisruptionTarget", "True", "PreemptionByScheduler",
       fmt::format("{}: preempting to accommodate a higher priority pod", preemption.profile->profile_name())},
      pod->meta.generation};
  const home::Ticket ticket = engine_.commands.Evict({pod, condition});
  preemption.under_way.push_back(ticket);
  preemptor_of_.emplace(ticket, PodUid(*preemption.preemptor->pod));
}

void Evictions::Report(const Preemption& preemption, const api::PodPtr& victim, std::string_view how) {
  const api::PodPtr& preemptor = preemption.preemptor->pod;
  engine_.log.V(2).Info("Preemptor Pod preempted victim Pod",
                        {{"preemptor", NameOf(*preemptor)}, {"victim", NameOf(*victim)}, {"node", preemption.node}});
  engine_.Report(*preemption.profile, victim, "Normal", "Preempted", "Preempting",
                 fmt::format("Preempted by pod {} on node {}{}", preemptor->meta.uid, preemption.node, how), preemptor);
}

void Evictions::CommandEnded(const Commands::Ending& ending) {
  const auto owner = preemptor_of_.find(ending.ticket);
  if (owner == preemptor_of_.end()) return;
  const auto it = preemptions_.find(owner->second);
  preemptor_of_.erase(owner);
  if (it == preemptions_.end()) return;
  Preemption& preemption = it->second;
  std::erase(preemption.under_way, ending.ticket);
  const api::PodPtr& victim = std::get<home::EvictPod>(ending.command).pod;
  switch (ending.outcome) {
    case Outcome::Done: Report(preemption, victim, ""); break;
    case Outcome::Gone: preemption.found_gone = true; break;
    default:
      engine_.log.V(2).Info(
          "Victim Pod was not preempted",
          {{"preemptor", NameOf(*preemption.preemptor->pod)}, {"victim", NameOf(*victim)}, {"err", ending.error}});
      Failed(preemption, ending.error);
  }
  const bool was_last = !preemption.victims.empty() && PodUid(*preemption.victims.back()->pod) == PodUid(*victim);
  if (was_last) preemption.victims.clear();
  GoOn(it);
}

// Victims of an awaited preemption go side by side: those that are not on their way yet are spared.
void Evictions::Failed(Preemption& preemption, const std::string& error) {
  if (!preemption.failed) preemption.error = error;
  preemption.failed = true;
  if (!preemption.awaited) return;
  std::erase_if(preemption.under_way, [&](home::Ticket ticket) {
    if (!engine_.commands.Forget(ticket)) return false;
    preemptor_of_.erase(ticket);
    return true;
  });
}

void Evictions::End(Table::iterator it) {
  const Preemption& preemption = it->second;
  if (preemption.awaited) {
    last_error_ = preemption.error;
    if (!preemption.failed) ClearNominations(preemption);
    preemptions_.erase(it);
    return;
  }
  if (engine_.metrics != nullptr) {
    engine_.metrics->PreemptionWork(!preemption.failed, std::chrono::steady_clock::now() - preemption.started);
  }
  const bool failed = preemption.failed;
  const bool may_be_stuck = preemption.found_gone;
  const std::string uid = it->first;
  preemptions_.erase(it);
  // The victim may be refused again at once: without a pause the preemptor would try as fast as it can.
  if (failed) to_activate_.emplace(engine_.clock.Now() + engine_.options.queue.initial_backoff, uid);
  if (!failed && may_be_stuck) engine_.queue->Activate({&uid, 1});
}

void Evictions::Tick() {
  if (to_activate_.empty()) return;
  const Timestamp now = engine_.clock.Now();
  const auto is_due = [&](Timestamp when) {
    // A moment further ahead than the pause was set before the clock was set back.
    return when <= now || when - now > engine_.options.queue.initial_backoff;
  };
  while (!to_activate_.empty() && is_due(to_activate_.begin()->first)) {
    const std::string uid = std::move(to_activate_.begin()->second);
    to_activate_.erase(to_activate_.begin());
    engine_.queue->Activate({&uid, 1});
  }
}

std::optional<Timestamp> Evictions::NextTick() const {
  if (to_activate_.empty()) return std::nullopt;
  return to_activate_.begin()->first;
}

bool Evictions::IsPreempting(std::string_view preemptor_uid) const {
  const auto is_noted = [&](const Preemption& noted) { return PodUid(*noted.preemptor->pod) == preemptor_uid; };
  if (std::ranges::any_of(noted_, is_noted)) return true;
  const auto it = preemptions_.find(preemptor_uid);
  if (it == preemptions_.end()) return false;
  const Preemption& preemption = it->second;
  if (preemption.victims.size() != 1 || preemption.under_way.size() > 1) return true;
  // Only the last is missing: its deletion, once told, is what the preemptor waits for.
  const PodInfo* last = engine_.cluster.FindPod(PodUid(*preemption.victims.front()->pod));
  return last != nullptr && !last->pod->is_terminating();
}

void Evictions::PreemptorGone(std::string_view uid) {
  const auto it = preemptions_.find(uid);
  if (it == preemptions_.end()) return;
  for (const home::Ticket ticket : it->second.under_way) {
    engine_.commands.Forget(ticket);
    preemptor_of_.erase(ticket);
  }
  preemptions_.erase(it);
}

void ProfileRoles::NoteAttempt() {
  if (engine_.metrics != nullptr) engine_.metrics->PreemptionAttempt();
}

void ProfileRoles::Preempt(const PodInfo& preemptor, std::string_view node, std::span<const PodInfoPtr> victims,
                           std::string_view plugin) {
  evictions_.Note(*profile_, preemptor, node, victims, plugin);
}

void ProfileRoles::Record(const api::PodPtr& about, const api::PodPtr& related, framework::PodEvent event) {
  engine_.inbox.Post(std::make_unique<home::EventNote>(
      home::EventNote{about, related, std::string(event.type), std::string(event.reason), std::string(event.action),
                      std::move(event.note), profile_name_, engine_.clock.Now()}));
}

void ProfileRoles::Activate(std::vector<std::string> pod_uids) {
  engine_.inbox.Post(ActivateRequest{std::move(pod_uids)});
}

}  // namespace berth::scheduler
