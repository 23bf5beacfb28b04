// SPDX-License-Identifier: Apache-2.0
#include "simulator/placement_run.h"

#include "api/document.h"
#include "base/check.h"
#include "base/string_map.h"
#include "simulator/map_in.h"
#include "simulator/run/cluster_writer.h"
#include "simulator/run/pod_watch.h"
#include "simulator/volume_controller.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace berth::simulator {
namespace {

using api::Manifest;
using api::Value;
using scheduler::Decision;
using scheduler::DecisionRecord;

// What the report needs of a decision.
struct LastDecision {
  Decision::Outcome outcome = Decision::Outcome::Unschedulable;
  int attempt = 0;
  int64_t score = 0;
  size_t feasible = 0;
  std::string message;
  std::vector<std::string> rejectors;
};

// A pod of the cluster, and what happened to it.
struct TrackedPod {
  api::PodPtr pod;
  std::string uid;  // in the store
  std::string key;
  std::string node;  // where it is; before it is bound, where it was last placed
  bool is_bound = false;
  bool is_gone = false;
  std::string evicted_for;
  std::vector<std::string> evicted;  // pods evicted for it
  LastDecision last;
};

class PlacementRun {
 public:
  PlacementRun(DescribedObjects objects, const SchedulerSetup& setup) : objects_(std::move(objects)), setup_(setup) {}

  Result<PlacementReport> Run() {
    BERTH_RETURN_IF_ERROR(Begin());
    do {
      BERTH_RETURN_IF_ERROR(LiveThroughMoment());
    } while (Jump());
    return Finish();
  }

 private:
  // The scheduler first sees the cluster, then the pending pods arrive.
  Result<void> Begin() {
    const auto decided = [this](const DecisionRecord& decision) { Decided(decision); };
    BERTH_ASSIGN_OR_RETURN(scheduler_, VirtualScheduler::Make(setup_, UsableStart(objects_.latest), decided));
    writer_ = std::make_unique<ClusterWriter>(scheduler_->store(), scheduler_->clock(), [](const Input&) {});
    BERTH_ASSIGN_OR_RETURN(volumes_,
                           VolumeController::Make(scheduler_->store(), *writer_, scheduler_->clock(), VolumeDelays{}));
    for (std::vector<Manifest>* manifests : {&objects_.others, &objects_.nodes, &objects_.running}) {
      BERTH_RETURN_IF_ERROR(Write(*manifests));
    }
    BERTH_RETURN_IF_ERROR(volumes_->Pump());
    BERTH_RETURN_IF_ERROR(Commit());
    scheduler_->Settle();
    before_.emplace(engine().cluster().Fork());

    std::ranges::stable_sort(objects_.pending, {},
                             [&](const Manifest& pod) { return PodOf(pod)->meta.created.value_or(objects_.latest); });
    first_pending_ = pods_.size();
    BERTH_RETURN_IF_ERROR(Write(objects_.pending));
    unbound_ = pods_.size() - first_pending_;
    BERTH_ASSIGN_OR_RETURN(PodWatch watch, PodWatch::Open(scheduler_->store()));
    watch_.emplace(std::move(watch));
    last_change_ = scheduler_->Now();
    return {};
  }

  Result<void> Write(std::vector<Manifest>& manifests) {
    for (Manifest& manifest : manifests) {
      BERTH_ASSIGN_OR_RETURN(const Value written, writer_->Create(std::move(manifest.document)));
      if (const auto* pod = std::get_if<api::PodPtr>(&manifest.object)) Track(*pod, written);
    }
    return writer_->Commit();
  }

  void Track(const api::PodPtr& pod, const Value& written) {
    TrackedPod tracked;
    tracked.pod = pod;
    tracked.uid = written.Find("metadata")->Find("uid")->text();
    tracked.key = pod->meta.Key();
    tracked.node = pod->node_name;
    tracked.is_bound = !pod->node_name.empty();
    numbers_.emplace(tracked.key, pods_.size());
    pods_.push_back(std::move(tracked));
  }

  TrackedPod& Find(std::string_view key) {
    const auto found = numbers_.find(key);
    BERTH_CHECK(found != numbers_.end());
    return pods_[found->second];
  }

  void Decided(const DecisionRecord& decision) {
    TrackedPod& pod = Find(decision.pod);
    pod.last = {decision.outcome,  decision.attempt, decision.score,
                decision.feasible, decision.message, decision.rejectors};
    decided_last_ = decision.pod;
    if (decision.outcome == Decision::Outcome::Placed) pod.node = decision.node;
    if (!decision.nominated_node.empty()) claimed_by_[decision.nominated_node] = decision.pod;
  }

  Result<void> LiveThroughMoment() {
    bool is_settled = false;
    while (!is_settled) {
      // Observe after every step, so that the next decision sees the budgets as already used up.
      while (scheduler_->Step()) BERTH_RETURN_IF_ERROR(Observe());
      BERTH_RETURN_IF_ERROR(volumes_->Pump());
      is_settled = !writer_->has_changes();
      BERTH_RETURN_IF_ERROR(Commit());
    }
    scheduler_->ForgetHistory();
    return {};
  }

  Result<void> Observe() {
    std::vector<const TrackedPod*> evicted;
    const auto find = [&](const store::Record& pod) -> TrackedPod& {
      last_change_ = scheduler_->Now();
      return Find(pod.key.namespace_ + "/" + pod.key.name);
    };
    BERTH_RETURN_IF_ERROR(watch_->Tell([&](const store::Record& pod) { Bound(find(pod)); },
                                       [&](const store::Record& pod) { evicted.push_back(&Evicted(find(pod))); }));
    for (const TrackedPod* victim : evicted) BERTH_RETURN_IF_ERROR(UseUpBudgets(*victim->pod));
    return Commit();
  }

  Result<void> Commit() { return writer_->has_changes() ? writer_->Commit() : Result<void>(); }

  void Bound(TrackedPod& pod) {
    pod.is_bound = true;
    bound_.push_back(numbers_.find(pod.key)->second);
    --unbound_;
  }

  TrackedPod& Evicted(TrackedPod& victim) {
    // A plugin may evict pods on a node other than the one it nominates; then attribute them to the pod decided last.
    const auto claim = claimed_by_.find(victim.node);
    TrackedPod& preemptor = Find(claim == claimed_by_.end() ? decided_last_ : claim->second);
    if (!victim.is_bound) --unbound_;
    victim.is_gone = true;
    victim.evicted_for = preemptor.key;
    preemptor.evicted.push_back(victim.key);
    report_.evictions.push_back({victim.key, victim.node, preemptor.key, victim.pod->priority()});
    return victim;
  }

  // Every budget that covers the pod allows one disruption less from now on, as its controller would record.
  Result<void> UseUpBudgets(const api::Pod& victim) {
    for (const api::PodDisruptionBudget* budget : engine().cluster().objects().PodDisruptionBudgets()) {
      const Result<api::Selector> selector = api::Selector::From(budget->selector);
      const api::ObjectMeta& meta = budget->meta;
      const bool covers =
          meta.namespace_ == victim.meta.namespace_ && selector && selector->Matches(victim.meta.labels);
      if (!covers) continue;
      int32_t& allowed = allowed_disruptions_.emplace(meta.Key(), budget->disruptions_allowed).first->second;
      if (allowed <= 0) continue;
      BERTH_ASSIGN_OR_RETURN(Value document, writer_->Read({"PodDisruptionBudget", meta.namespace_, meta.name}));
      MapIn(document, "status").Set("disruptionsAllowed", Value::Int(--allowed));
      BERTH_RETURN_IF_ERROR(writer_->Apply(std::move(document)));
    }
    return {};
  }

  // Returns false when the run is over.
  bool Jump() {
    // Gated pods wait for an external change.
    if (unbound_ == engine().queue().sizes().gated) return false;
    const std::optional<Timestamp> deadline = scheduler_->NextDeadline();
    if (!deadline || *deadline > last_change_ + scheduler_->retried_within()) return false;
    scheduler_->Jump(*deadline);
    return true;
  }

  PlacementReport Finish() {
    report_.seed = setup_.seed;
    report_.problems = scheduler_->Problems();
    report_.ignored = std::move(objects_.ignored);
    for (const size_t number : bound_) ReportPlacement(pods_[number]);
    std::vector<const TrackedPod*> rest;
    for (size_t i = first_pending_; i < pods_.size(); ++i) {
      if (pods_[i].is_gone || !pods_[i].is_bound) rest.push_back(&pods_[i]);
    }
    std::ranges::stable_sort(rest, std::greater<>(), [](const TrackedPod* pod) { return pod->pod->priority(); });
    for (const TrackedPod* pod : rest) ReportUnplaced(*pod);
    ReportUse(rest);
    return std::move(report_);
  }

  void ReportPlacement(const TrackedPod& pod) {
    if (pod.is_gone) return;
    const LastDecision& last = pod.last;
    report_.placements.push_back({pod.key, pod.node, pod.pod->spec->scheduler_name, pod.pod->priority(),
                                  last.feasible > 1, last.score, last.feasible, static_cast<size_t>(last.attempt),
                                  pod.evicted});
  }

  void ReportUnplaced(const TrackedPod& pod) {
    const queue::SchedulingQueue& queue = engine().queue();
    const queue::QueuedPod* queued = pod.is_gone ? nullptr : queue.Find(pod.uid);
    if (queued != nullptr && queued->place == queue::Place::Gated) {
      const auto& gate = queue.profile(queued->profile).plugins[static_cast<size_t>(queued->gating_plugin)];
      report_.gated.push_back({pod.key, gate.name, gate.pre_enqueue->PreEnqueue(**queued->pod).Message()});
      return;
    }
    StillPending pending{pod.key, pod.pod->spec->scheduler_name, pod.pod->priority(), pod.last.message,
                         pod.last.rejectors};
    if (pod.is_gone) {
      pending.message = fmt::format("placed on {}, then evicted for {}", pod.node, pod.evicted_for);
      pending.rejectors.clear();
    } else if (pod.last.outcome == Decision::Outcome::Placed) {
      // It was placed but failed afterwards: its condition says why.
      pending.message = StoredReason(pod);
      pending.rejectors = RejectorsOf(pod, queued);
    }
    report_.pending.push_back(std::move(pending));
  }

  // The message of the pod's condition; empty when it has none.
  std::string StoredReason(const TrackedPod& pod) {
    const Result<Value> document = writer_->Read({"Pod", pod.pod->meta.namespace_, pod.pod->meta.name});
    if (!document) return "";
    api::DecodeErrors errors;
    const auto stored = api::Decode<api::Pod>(*document, errors);
    const api::Condition* condition = stored.FindCondition("PodScheduled");
    return condition == nullptr ? "" : condition->message;
  }

  // The plugins that rejected the pod after it was placed, or that keep it waiting at Permit.
  std::vector<std::string> RejectorsOf(const TrackedPod& pod, const queue::QueuedPod* queued) {
    std::vector<std::string> names;
    if (queued == nullptr) {
      engine().waiting_pods().With(pod.uid, [&](framework::WaitingPod& waiting) { names = waiting.pending_plugins(); });
      return names;
    }
    const auto& plugins = engine().queue().profile(queued->profile).plugins;
    for (size_t i = 0; i < plugins.size(); ++i) {
      if (queued->rejectors.test(i)) names.push_back(plugins[i].name);
    }
    return names;
  }

  // Pods still waiting at Permit do not count as using resources.
  void ReportUse(const std::vector<const TrackedPod*>& unplaced) {
    cluster::ClusterState after = engine().cluster().Fork();
    for (const TrackedPod* pod : unplaced) {
      if (after.FindPod(pod->uid) != nullptr) after.RemovePod(pod->uid);
    }
    report_.utilisation = CompareUse(*before_, after, after.resource_names());
  }

  scheduler::Engine& engine() { return scheduler_->engine(); }

  DescribedObjects objects_;
  const SchedulerSetup& setup_;
  std::unique_ptr<VirtualScheduler> scheduler_;
  std::unique_ptr<ClusterWriter> writer_;
  std::unique_ptr<VolumeController> volumes_;
  std::optional<PodWatch> watch_;
  std::optional<cluster::ClusterState> before_;
  std::vector<TrackedPod> pods_;
  StringMap<size_t> numbers_;  // of pods_, by namespace/name
  size_t first_pending_ = 0;   // from here on, pods_ were initially pending
  size_t unbound_ = 0;
  std::vector<size_t> bound_;  // in order
  Timestamp last_change_;
  std::string decided_last_;
  StringMap<std::string> claimed_by_;  // by node: the pod last nominated to it
  StringMap<int32_t> allowed_disruptions_;
  PlacementReport report_;
};

}  // namespace

Result<PlacementReport> PlacePendingPods(DescribedObjects objects, const SchedulerSetup& setup) {
  return PlacementRun(std::move(objects), setup).Run();
}

}  // namespace berth::simulator
