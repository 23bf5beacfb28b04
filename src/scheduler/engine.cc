// SPDX-License-Identifier: Apache-2.0
#include "scheduler/engine.h"

#include "framework/node_info.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/extender_binder.h"
#include "scheduler/invariants.h"
#include "scheduler/queue_profiles.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

using framework::ExtensionPoint;
using framework::PodUid;

namespace {

// What the feature gates make of the options.
EngineOptions WithGates(EngineOptions options, const features::FeatureGates& gates) {
  using features::Gate;
  options.gates = gates;
  options.queue.pop_from_backoff = gates.Enabled(Gate::SchedulerPopFromBackoffQ);
  options.queue.hints = gates.Enabled(Gate::SchedulerQueueingHints);
  options.queue.changes = {gates.Enabled(Gate::InPlacePodVerticalScaling),
                           gates.Enabled(Gate::InPlacePodLevelResourcesVerticalScaling),
                           gates.Enabled(Gate::DynamicResourceAllocation), gates.Enabled(Gate::NodeDeclaredFeatures)};
  options.commands.absorb_patches = gates.Enabled(Gate::SchedulerAsyncAPICalls);
  return options;
}

std::vector<framework::Extender*> ListOf(const framework::Extenders* extenders) {
  if (extenders == nullptr) return {};
  return {extenders->list().begin(), extenders->list().end()};
}

}  // namespace

Engine::Engine(const EngineOptions& options, const EngineLinks& links, const framework::PodRules& rules)
    : state_(options, *links.clock, *links.inbox, *links.home, links.metrics, rules),
      home_objects_(*links.home),
      failures_(state_),
      attempts_(state_, failures_, *links.pool),
      evictions_(state_, attempts_),
      held_(state_, failures_, evictions_),
      extenders_(ListOf(links.extenders)),
      consultations_(state_, extenders_),
      updates_(state_, attempts_, evictions_, held_, consultations_) {}

Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::Create(std::vector<config::ProfilePlan> plans,
                                               const framework::Registry& registry, const EngineOptions& options,
                                               const EngineLinks& links) {
  // The profiles share one set of gates.
  const features::FeatureGates& gates = plans.front().features;
  std::unique_ptr<Engine> engine(new Engine(WithGates(options, gates), links, framework::PodRules::From(gates)));
  BERTH_RETURN_IF_ERROR(engine->BuildProfiles(std::move(plans), registry));
  return engine;
}

Result<void> Engine::BuildProfiles(std::vector<config::ProfilePlan> plans, const framework::Registry& registry) {
  // Whoever only pretends to write has nothing bound, either.
  const bool has_binders =
      state_.options.writes &&
      std::ranges::any_of(extenders_, [](const framework::Extender* each) { return each->binds(); });
  framework::Registry known = registry;
  if (has_binders) BERTH_RETURN_IF_ERROR(known.Add(ExtenderBinderEntry(extenders_)));
  for (config::ProfilePlan& plan : plans) {
    roles_.push_back(std::make_unique<ProfileRoles>(state_, evictions_, plan.scheduler_name));
    runtime::Services services;
    services.cluster = &state_.cluster;
    services.lister = &state_.cluster.objects();
    services.objects = &home_objects_;
    services.resource_names = &state_.names;
    services.nominator = &state_.nominated;
    services.waiting_pods = &state_.waiting;
    services.evictor = roles_.back().get();
    if (!extenders_.empty()) services.preemption_review = &consultations_;
    services.events = roles_.back().get();
    services.activator = roles_.back().get();
    services.clock = &state_.clock;
    services.metrics = state_.metrics;
    services.workers = &state_.workers;
    services.log = state_.options.log.Named("plugins");
    if (has_binders)
      plan.at(ExtensionPoint::Bind)
          .insert(plan.at(ExtensionPoint::Bind).begin(), {std::string(framework::kExtenderName), 0});
    BERTH_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Profile> profile,
                           runtime::Profile::Build(std::move(plan), known, services));
    roles_.back()->set_profile(*profile);
    state_.profiles.push_back(std::move(profile));
  }
  // Every profile has the same QueueSort plugin: the configuration was checked for it.
  const runtime::Profile& first = *state_.profiles.front();
  const std::string_view sorter = first.plugins().NamesAt(ExtensionPoint::QueueSort).front();
  queue::TrackOf track_of;
  if (!extenders_.empty()) {
    track_of = [this](const framework::PodInfo& pod) { return consultations_.TrackOf(pod); };
  }
  state_.queue = std::make_unique<queue::SchedulingQueue>(
      state_.options.queue, QueueProfilesOf(state_.profiles, !extenders_.empty()),
      *first.plugins().Find(sorter)->queue_sort, state_.nominated, state_.clock, state_.metrics, std::move(track_of));
  cycle_ = std::make_unique<SchedulingCycle>(state_, attempts_, failures_, evictions_, updates_, held_, consultations_);
  return {};
}

void Engine::Handle(Message& message) {
  if (const auto* change = std::get_if<home::ObjectChange>(&message)) {
    updates_.Apply(*change);
  } else if (auto* completion = std::get_if<home::Completion>(&message)) {
    if (const std::optional<Commands::Ending> ending = state_.commands.Settle(*completion)) CommandEnded(*ending);
  } else if (std::holds_alternative<Synced>(message)) {
    synced_ = true;
  } else if (const auto* permit = std::get_if<PermitResolved>(&message)) {
    attempts_.PermitResolved(permit->uid);
  } else if (const auto* done = std::get_if<WorkDone>(&message)) {
    attempts_.WorkEnded(*done);
  } else if (const auto* answered = std::get_if<WorkAnswered>(&message)) {
    attempts_.WorkAnswered(*answered);
  } else if (auto* extenders = std::get_if<ExtendersAnswer>(&message)) {
    consultations_.Answered(**extenders);
  } else if (const auto* activate = std::get_if<ActivateRequest>(&message)) {
    state_.queue->Activate(activate->uids);
  } else if (auto* note = std::get_if<RecordRequest>(&message)) {
    state_.Record(std::move(**note));
  } else if (const auto* problem = std::get_if<home::FeedProblem>(&message)) {
    state_.problems.Take(*problem);
  }
}

void Engine::CommandEnded(const Commands::Ending& ending) {
  state_.problems.Take(ending);
  if (const auto* patch = std::get_if<home::PatchPodStatus>(&ending.command)) {
    if (ending.outcome == home::Outcome::Done) {
      state_.shadow.Written(PodUid(*patch->pod), ending.ticket, ending.answer);
    } else {
      state_.shadow.NotWritten(PodUid(*patch->pod), ending.ticket);
    }
  } else if (std::holds_alternative<home::EvictPod>(ending.command)) {
    evictions_.CommandEnded(ending);
  } else if (!std::holds_alternative<home::EventNote>(ending.command)) {
    attempts_.CommandEnded(ending);
  }
}

bool Engine::ScheduleOne() {
  if (!synced_ || state_.commands.full()) return false;
  return cycle_->RunOne();
}

void Engine::Tick() {
  state_.queue->Tick();
  state_.waiting.Expire();
  attempts_.Tick();
  evictions_.Tick();
  ReportSizes();
}

std::optional<Timestamp> Engine::NextTick() const {
  std::optional<Timestamp> next;
  for (const std::optional<Timestamp>& moment :
       {state_.queue->NextTick(), state_.waiting.NextExpiry(), attempts_.NextTick(), evictions_.NextTick(),
        state_.commands.NextDue()}) {
    if (moment && (!next || *moment < *next)) next = moment;
  }
  return next;
}

void Engine::ReportSizes() {
  constexpr Duration kEvery = std::chrono::seconds(1);
  const Timestamp now = state_.clock.Now();
  if (state_.metrics == nullptr || (sizes_reported_ && now >= *sizes_reported_ && now - *sizes_reported_ < kEvery))
    return;
  sizes_reported_ = now;
  size_t assumed = 0;
  attempts_.ForEach([&](const Attempt& attempt) { assumed += attempt.progress.is(Standing::Assumed) ? 1 : 0; });
  metrics::SchedulerMetrics& metrics = *state_.metrics;
  metrics.SetCacheSize(metrics::CacheType::Nodes, state_.cluster.node_count());
  metrics.SetCacheSize(metrics::CacheType::Pods, state_.cluster.pod_count_total());
  metrics.SetCacheSize(metrics::CacheType::AssumedPods, assumed + state_.unconfirmed);
  metrics.SetBackgroundWork("binding", attempts_.size());
  metrics.SetBackgroundWork("DefaultPreemption", evictions_.under_way());
}

std::string Engine::CheckInvariants() const {
  return scheduler::CheckInvariants(state_, attempts_, held_.is_held() + consultations_.size(), cycle_->log());
}

}  // namespace berth::scheduler
