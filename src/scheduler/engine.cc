// SPDX-License-Identifier: Apache-2.0
#include "scheduler/engine.h"

#include "metrics/scheduler_metrics.h"
#include "scheduler/queue_profiles.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

using framework::PodUid;

Engine::Engine(const EngineOptions& options, const EngineLinks& links)
    : options_(options),
      links_(links),
      cluster_(names_),
      waiting_(*links.clock,
               [inbox = links.inbox](std::string_view uid) { inbox->Post(PermitResolved{std::string(uid)}); }),
      workers_(options.worker_threads),
      rng_(options.seed),
      log_(options.log_capacity) {}

Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::Create(std::vector<config::ProfilePlan> plans,
                                               const framework::Registry& registry, const EngineOptions& options,
                                               const EngineLinks& links) {
  std::unique_ptr<Engine> engine(new Engine(options, links));
  BERTH_RETURN_IF_ERROR(engine->BuildProfiles(std::move(plans), registry));
  return engine;
}

Result<void> Engine::BuildProfiles(std::vector<config::ProfilePlan> plans, const framework::Registry& registry) {
  for (config::ProfilePlan& plan : plans) {
    writers_.push_back(std::make_unique<OutboxWriter>(*links_.outbox, *links_.clock, plan.scheduler_name));
    const int32_t percentage = plan.percentage_of_nodes_to_score.value_or(0);
    const bool samples = percentage > 0 && percentage < 100;
    samplings_.push_back(samples ? std::make_unique<NodeSampling>(percentage) : nullptr);
    runtime::Services services;
    services.cluster = &cluster_;
    services.lister = &cluster_.objects();
    services.resource_names = &names_;
    services.nominator = &nominated_;
    services.waiting_pods = &waiting_;
    services.writer = writers_.back().get();
    services.events = writers_.back().get();
    services.clock = links_.clock;
    services.metrics = links_.metrics;
    services.workers = &workers_;
    BERTH_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Profile> profile,
                           runtime::Profile::Build(std::move(plan), registry, services));
    profiles_.push_back(std::move(profile));
  }
  // Every profile has the same QueueSort plugin: the configuration was checked for it.
  const runtime::Profile& first = *profiles_.front();
  const std::string_view sorter = first.PluginsAt(framework::ExtensionPoint::QueueSort).front();
  queue_ = std::make_unique<queue::SchedulingQueue>(options_.queue, QueueProfilesOf(profiles_),
                                                    *first.FindPlugin(sorter)->queue_sort, nominated_, *links_.clock,
                                                    links_.metrics);
  return {};
}

void Engine::Handle(Message& message) {
  if (const auto* change = std::get_if<ObjectChange>(&message)) {
    OnChange(*change);
  } else if (std::holds_alternative<Synced>(message)) {
    synced_ = true;
  } else if (const auto* permit = std::get_if<PermitResolved>(&message)) {
    OnPermitResolved(permit->uid);
  } else if (auto* finished = std::get_if<BindingFinished>(&message)) {
    OnBindingFinished(*finished->attempt, finished->status);
  } else if (const auto* activate = std::get_if<ActivateRequest>(&message)) {
    queue_->Activate(activate->uids);
  }
}

void Engine::Tick() {
  queue_->Tick();
  waiting_.Expire();
  ReportSizes();
}

void Engine::ReportSizes() {
  constexpr Duration kEvery = std::chrono::seconds(1);
  const Timestamp now = links_.clock->Now();
  if (links_.metrics == nullptr || (sizes_reported_ && now >= *sizes_reported_ && now - *sizes_reported_ < kEvery))
    return;
  sizes_reported_ = now;
  size_t assumed = 0;
  size_t binding = 0;
  for (const auto& [uid, attempt] : attempts_) {
    assumed += attempt->assumed ? 1 : 0;
    binding += attempt->stage == Attempt::Stage::Binding ? 1 : 0;
  }
  metrics::SchedulerMetrics& metrics = *links_.metrics;
  metrics.SetCacheSize(metrics::CacheType::Nodes, cluster_.node_count());
  metrics.SetCacheSize(metrics::CacheType::Pods, cluster_.pod_count_total());
  metrics.SetCacheSize(metrics::CacheType::AssumedPods, assumed);
  metrics.SetBackgroundWork("binding", binding);
}

std::optional<Timestamp> Engine::NextTick() const {
  const std::optional<Timestamp> queue_tick = queue_->NextTick();
  const std::optional<Timestamp> expiry = waiting_.NextExpiry();
  if (!queue_tick) return expiry;
  return expiry ? std::min(*queue_tick, *expiry) : *queue_tick;
}

void Engine::StopBinding() {
  for (const auto& [uid, attempt] : attempts_) attempt->stop.request_stop();
}

Attempt* Engine::FindAttempt(std::string_view uid) const {
  const auto it = attempts_.find(uid);
  return it == attempts_.end() ? nullptr : it->second.get();
}

Attempt& Engine::NewAttempt(queue::QueuedPodPtr queued) {
  if (spare_attempts_.empty()) {
    AttemptTable maker;
    maker.emplace(std::string_view(), std::make_unique<Attempt>());
    spare_attempts_.push_back(maker.extract(maker.begin()));
  }
  AttemptNode node = std::move(spare_attempts_.back());
  spare_attempts_.pop_back();
  Attempt& attempt = *node.mapped();
  attempt.pod = attempt.latest = queued->pod;
  attempt.queued = std::move(queued);
  node.key() = PodUid(*attempt.pod->pod);
  const bool is_new = attempts_.insert(std::move(node)).inserted;
  BERTH_CHECK(is_new);
  return attempt;
}

Engine::AttemptNode Engine::TakeAttempt(const Attempt& attempt) { return attempts_.extract(PodUid(*attempt.pod->pod)); }

void Engine::Recycle(AttemptNode node) {
  constexpr size_t kMaxSpare = 1'024;
  if (spare_attempts_.size() >= kMaxSpare) return;
  Attempt& attempt = *node.mapped();
  attempt.queued = nullptr;
  attempt.pod = attempt.latest = nullptr;
  attempt.assumed = true;
  attempt.assigned = attempt.gone = attempt.has_pre_bind = attempt.needs_post_bind = false;
  attempt.stop = std::stop_source(std::nostopstate);
  spare_attempts_.push_back(std::move(node));
}

void Engine::Report(const runtime::Profile& profile, const api::Pod& pod, std::string_view type,
                    std::string_view reason, std::string_view action, std::string note) {
  for (size_t i = 0; i < profiles_.size(); ++i) {
    if (profiles_[i].get() != &profile) continue;
    writers_[i]->Record(pod, type, reason, action, std::move(note));
    return;
  }
}

}  // namespace berth::scheduler
