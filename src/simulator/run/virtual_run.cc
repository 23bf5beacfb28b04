// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/virtual_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace berth::simulator {
namespace {

constexpr Timestamp kUsualStart = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

StringSet ServedBy(const SchedulerSetup& setup) {
  StringSet names;
  for (const config::ProfilePlan& plan : setup.plans) names.insert(plan.scheduler_name);
  return names;
}

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
// clang 14 does not deduce it by itself.
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace

Timestamp StartOf(const Scenario& scenario, const api::Manifests& objects) {
  if (scenario.start) return std::chrono::floor<std::chrono::seconds>(*scenario.start);
  std::optional<Timestamp> latest;
  const auto see = [&](const std::optional<Timestamp>& moment) {
    if (moment && (!latest || *moment > *latest)) latest = moment;
  };
  for (const api::Manifest& manifest : objects.objects) {
    see(api::MetaOf(manifest.object).created);
    if (const auto* pod = std::get_if<api::PodPtr>(&manifest.object)) see((*pod)->status->start_time);
  }
  return UsableStart(latest.value_or(kUsualStart));
}

VirtualRun::VirtualRun(const Scenario& scenario, const api::Manifests& objects, const SchedulerSetup& setup,
                       RunListener listener)
    : scenario_(scenario),
      objects_(objects),
      setup_(setup),
      listener_(std::move(listener)),
      start_(StartOf(scenario, objects)),
      end_(start_ + scenario.duration.value_or(kLongestTime)),
      plan_(scenario, setup.seed),
      last_change_(start_) {}

Result<void> VirtualRun::Begin() {
  const auto decided = [this](const scheduler::DecisionRecord& decision) {
    const size_t slash = decision.pod.find('/');
    const std::string_view pod = decision.pod;
    cluster_->statistics().Decided(decision, cluster_->pods().Find(pod.substr(0, slash), pod.substr(slash + 1)));
    if (listener_.decision) listener_.decision(decision);
  };
  BERTH_ASSIGN_OR_RETURN(scheduler_, VirtualScheduler::Make(setup_, start_, decided));
  const auto committed = [this](const Input& input) {
    if (listener_.input) listener_.input(step_, scheduler_->Now(), input);
  };
  writer_ = std::make_unique<ClusterWriter>(scheduler_->store(), scheduler_->clock(), committed);
  cluster_ =
      std::make_unique<SimulatedCluster>(scenario_, setup_.seed, ServedBy(setup_), *writer_, scheduler_->clock());
  BERTH_ASSIGN_OR_RETURN(
      volumes_, VolumeController::Make(scheduler_->store(), *writer_, scheduler_->clock(), scenario_.volume_delays));
  BERTH_ASSIGN_OR_RETURN(PodWatch watch, PodWatch::Open(scheduler_->store()));
  pod_watch_.emplace(std::move(watch));
  cluster_->Begin(objects_);
  return {};
}

Result<RunReport> VirtualRun::Run() {
  BERTH_RETURN_IF_ERROR(Begin());
  do {
    BERTH_RETURN_IF_ERROR(LiveThroughMoment());
    if (!listener_.moment) continue;
    RunStatistics& statistics = cluster_->statistics();
    const Timestamp now = scheduler_->Now();
    const double share = scenario_.duration ? std::chrono::duration<double>(now - start_) / *scenario_.duration : 0;
    BERTH_RETURN_IF_ERROR(
        listener_.moment({now, share, statistics.decisions(), statistics.running(), statistics.pending()}));
  } while (Jump());
  return Finish();
}

// Performs what is due, lets the scheduler react, and performs what immediately follows from that.
Result<void> VirtualRun::LiveThroughMoment() {
  BERTH_RETURN_IF_ERROR(DoWhatIsDue());
  if (!writer_->has_changes() && !scheduler_->is_due()) return {};
  do {
    if (writer_->has_changes()) {
      ++step_;
      last_change_ = scheduler_->Now();
      BERTH_RETURN_IF_ERROR(writer_->Commit());
    }
    scheduler_->Settle();
    BERTH_RETURN_IF_ERROR(Observe());
    cluster_->DoWhatIsDue();
    BERTH_RETURN_IF_ERROR(volumes_->Pump());
  } while (writer_->has_changes());
  for (std::string& warning : writer_->TakeWarnings()) cluster_->statistics().Say(std::move(warning));
  scheduler_->ForgetHistory();
  return {};
}

// Reacts to the scheduler's bindings and deletions.
Result<void> VirtualRun::Observe() {
  return pod_watch_->Tell(
      [this](const store::Record& pod) {
        last_change_ = scheduler_->Now();
        cluster_->PodWasBound(pod.key, pod.uid, pod.fields.node_name);
      },
      [this](const store::Record& pod) { cluster_->PodWasDeleted(pod.key, pod.uid); });
}

Result<void> VirtualRun::DoWhatIsDue() {
  cluster_->statistics().Pass(scheduler_->Now());
  cluster_->DoWhatIsDue();
  while (plan_.next() && start_ + *plan_.next() <= scheduler_->Now()) Do(plan_.Take());
  return volumes_->Pump();
}

// Returns false when the run is over.
bool VirtualRun::Jump() {
  std::optional<Timestamp> next = cluster_->NextTimer();
  const auto consider = [&](const std::optional<Timestamp>& other) {
    if (other && (!next || *other < *next)) next = other;
  };
  if (plan_.next()) consider(start_ + *plan_.next());
  consider(volumes_->NextDeadline());
  if (!next && !scenario_.duration) {
    const bool all_placed = cluster_->statistics().pending() == 0;
    const std::optional<Timestamp> deadline = scheduler_->NextDeadline();
    if (all_placed || !deadline || *deadline > last_change_ + scheduler_->retried_within()) return false;
  }
  scheduler_->Jump(std::min(next.value_or(end_), end_));
  return scheduler_->Now() < end_;
}

Duration VirtualRun::Ended() const {
  // Without a duration, the run ends right after its last moment.
  return scheduler_->Now() - start_ + (scenario_.duration ? Duration::zero() : Duration(1));
}

RunReport VirtualRun::Finish() {
  std::set<size_t> gated;
  scheduler_->engine().queue().ForEach([&](const queue::QueuedPod& queued) {
    if (queued.place != queue::Place::Gated) return;
    const api::ObjectMeta& meta = (*queued.pod)->meta;
    if (const SimulatedPod* pod = cluster_->pods().Find(meta.namespace_, meta.name)) gated.insert(pod->number);
  });
  for (std::string& problem : scheduler_->Problems()) {
    cluster_->statistics().Say("the scheduler reports: " + std::move(problem));
  }
  RunReport report = cluster_->statistics().Finish(scheduler_->Now(), cluster_->pods(), gated);
  report.seed = setup_.seed;
  return report;
}

void VirtualRun::Do(const PlannedAction& action) {
  std::visit(
      Overloaded{
          [&](const NodeJoins& joins) { cluster_->AddNodeOf(joins.group); },
          [&](const PodArrives& arrives) { cluster_->AddPodOf(arrives.workload); },
          [&](const EventHappens& happens) { Do(happens.event->action, happens.chance); },
          [&](const NodeFails& fails) {
            const NodeFailures& failures = *fails.failures;
            DoExit({{{}, failures.group, 1}, failures.exit, failures.pods_gone_after, failures.rejoin}, fails.chance);
          },
      },
      action);
}

void VirtualRun::Do(const EventAction& action, uint64_t chance) {
  std::visit(Overloaded{
                 [&](const AddNodes& add) {
                   for (uint64_t i = 0; i < add.count; ++i) cluster_->AddNodeOf(add.group);
                 },
                 [&](const AddPods& add) {
                   for (uint64_t i = 0; i < add.count; ++i) cluster_->AddPodOf(add.workload);
                 },
                 [&](const ExitNode& exit) { DoExit(exit, chance); },
                 [&](const CordonNode& cordon) {
                   for (const std::string& node : Chosen(cordon.target, chance, !cordon.on)) {
                     if (cluster_->HasNode(node)) {
                       cluster_->statistics().Note(cordon.on ? NodeEvent::What::Cordoned : NodeEvent::What::Uncordoned,
                                                   node, 0);
                     }
                     cluster_->SetCordon(node, cordon.on);
                   }
                 },
                 [&](const DeletePod& remove) {
                   for (SimulatedPod* pod : Chosen(remove.target)) cluster_->DeletePod(*pod, /*may_replace=*/true);
                 },
                 [&](const ScaleWorkload& scale) { DoScale(scale); },
                 [&](const Ungate& ungate) {
                   for (const SimulatedPod* pod : Chosen(ungate.target)) cluster_->RemoveGates(*pod, ungate.gate);
                 },
                 [&](const ApplyObject& apply) { cluster_->Apply(apply); },
                 [&](const DeleteObject& remove) { cluster_->Delete(remove.key); },
             },
             action);
}

void VirtualRun::DoExit(const ExitNode& exit, uint64_t chance) {
  Rng rng(chance);
  const std::optional<bool> only_open = exit.exit == NodeExit::Drain ? std::optional(false) : std::nullopt;
  for (const std::string& node : Chosen(exit.target, rng.Next(), only_open)) {
    const std::optional<Duration> back = exit.rejoin ? std::optional(Draw(*exit.rejoin, rng)) : std::nullopt;
    cluster_->Leave(node, exit.exit, exit.pods_gone_after, back);
  }
}

// The newest pods are removed first, and pending ones before running ones.
void VirtualRun::DoScale(const ScaleWorkload& scale) {
  std::vector<SimulatedPod*> living = cluster_->pods().Living(scale.workload);
  for (uint64_t i = living.size(); i < scale.replicas; ++i) cluster_->AddPodOf(scale.workload);
  for (const bool pending : {true, false}) {
    for (auto pod = living.rbegin(); pod != living.rend() && living.size() > scale.replicas;) {
      if (((*pod)->state == SimulatedPod::State::Pending) != pending) {
        ++pod;
        continue;
      }
      cluster_->DeletePod(**pod, /*may_replace=*/false);
      pod = std::reverse_iterator(living.erase(std::next(pod).base()));
    }
  }
}

std::vector<std::string> VirtualRun::Chosen(const NodeTarget& target, uint64_t chance,
                                            std::optional<bool> cordoned) const {
  if (!target.group) return {target.name};
  std::vector<std::string> nodes = cluster_->NodesOf(*target.group, cordoned);
  Rng rng(chance);
  const size_t count = std::min<size_t>(target.count, nodes.size());
  for (size_t i = 0; i < count; ++i) std::swap(nodes[i], nodes[i + rng.Below(nodes.size() - i)]);
  nodes.resize(count);
  return nodes;
}

std::vector<SimulatedPod*> VirtualRun::Chosen(const PodTarget& target) {
  if (target.workload) return cluster_->pods().Living(*target.workload);
  const size_t slash = target.key.find('/');
  SimulatedPod* pod = cluster_->pods().Find(target.key.substr(0, slash), target.key.substr(slash + 1));
  if (pod != nullptr) return {pod};
  cluster_->Complain(NotFoundError(fmt::format("there is no Pod {}", target.key)));
  return {};
}

}  // namespace berth::simulator
