// SPDX-License-Identifier: Apache-2.0
#include "simulator/placement_run.h"

#include "base/rng.h"
#include "runtime/cycle.h"
#include "scheduler/decide.h"
#include "simulator/pod_copies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::simulator {
namespace {

using framework::PodInfoPtr;
using framework::PodUid;
using framework::Status;
using runtime::Cycle;
using runtime::Profile;
using scheduler::Decision;

// A pod on its way, with what its last attempt came to.
struct Candidate {
  framework::QueuedPodInfo queued;
  Profile* profile = nullptr;
  std::optional<uint64_t> tried_at;  // the version of the cluster it was last tried against
  StillPending outcome;
};

// A pod that has a node but waits for Permit plugins.
struct HeldBack {
  Candidate candidate;
  Placement placement;
  std::unique_ptr<Cycle> cycle;
};

class PlacementRun {
 public:
  PlacementRun(DescribedCluster& described, uint64_t seed) : described_(described), rng_(seed) { report_.seed = seed; }

  PlacementReport Run() {
    const cluster::ClusterState before = described_.cluster().Fork();
    Enqueue();
    do {
      while (TryAll()) {
      }
    } while (SettleHeldBack());
    for (Candidate& candidate : queue_) report_.pending.push_back(std::move(candidate.outcome));
    report_.ignored = described_.ignored();
    report_.utilisation = CompareUse(before, described_.cluster(), described_.cluster().resource_names());
    return std::move(report_);
  }

 private:
  void Enqueue() {
    for (const framework::QueuedPodInfo& queued : described_.pending()) {
      const api::Pod& pod = **queued.pod;
      Profile* profile = described_.ProfileFor(pod.spec->scheduler_name);
      if (Status gate = profile->RunPreEnqueue(pod); !gate.ok()) {
        report_.gated.push_back({pod.meta.Key(), std::string(gate.plugin()), gate.Message()});
        continue;
      }
      queue_.push_back(
          {queued, profile, {}, {pod.meta.Key(), std::string(profile->profile_name()), pod.priority(), {}, {}}});
    }
    // All profiles share one order; equals stay in the order of the files.
    const Profile& order = *described_.profiles().front();
    std::stable_sort(queue_.begin(), queue_.end(),
                     [&](const Candidate& a, const Candidate& b) { return order.QueueSortLess(a.queued, b.queued); });
  }

  // Tries every pod that has not seen the cluster as it is. Says whether any was placed or evicted.
  bool TryAll() {
    const uint64_t version = version_;
    std::vector<Candidate> waiting = std::move(queue_);
    queue_.clear();
    for (size_t i = 0; i < waiting.size(); ++i) {
      const bool seen = waiting[i].tried_at == version_;
      if (seen || !Try(waiting[i])) queue_.push_back(std::move(waiting[i]));
      ForgetClearedNominations(waiting, i + 1);
    }
    return version_ != version;
  }

  // Says whether the pod has a node now.
  bool Try(Candidate& candidate) {
    auto cycle = std::make_unique<Cycle>();
    ++candidate.queued.attempts;
    candidate.tried_at = version_;
    Decision decision = DecideNow(candidate, *cycle);
    std::vector<std::string> evicted;
    if (decision.outcome == Decision::Outcome::Unschedulable) {
      evicted = CarryOutEvictions(candidate);
      if (Nominate(candidate, decision.post_filter)) {
        decision = DecideNow(candidate, *cycle);
        for (std::string& pod : CarryOutEvictions(candidate)) evicted.push_back(std::move(pod));
      }
    }
    candidate.tried_at = version_;
    if (decision.outcome != Decision::Outcome::Placed) {
      candidate.outcome.message = decision.message;
      candidate.outcome.rejectors = decision.rejectors;
      return false;
    }
    return Place(candidate, decision, std::move(cycle), std::move(evicted));
  }

  Decision DecideNow(const Candidate& candidate, Cycle& cycle) {
    described_.cluster().BeginCycle();
    return scheduler::Decide(*candidate.profile, *candidate.queued.pod, cycle, rng_);
  }

  // Removes the pods that plugins have just evicted.
  std::vector<std::string> CarryOutEvictions(const Candidate& candidate) {
    std::vector<std::string> names;
    cluster::ClusterState& cluster = described_.cluster();
    for (const std::string& uid : described_.writer().TakeEvicted()) {
      const framework::PodInfo* victim = cluster.FindPod(uid);
      if (victim == nullptr) continue;
      names.push_back((*victim)->meta.Key());
      report_.evictions.push_back(
          {names.back(), std::string(cluster.NodeOf(uid)), candidate.outcome.pod, (*victim)->priority()});
      TakeOutOfPlacements(names.back(), candidate.outcome.pod);
      UseUpBudgets(**victim);
      cluster.RemovePod(uid);
      ++version_;
    }
    return names;
  }

  // A victim that this very run placed is back where it started, and stays so: its room is taken.
  void TakeOutOfPlacements(const std::string& victim, const std::string& preemptor) {
    const auto it = std::find_if(report_.placements.begin(), report_.placements.end(),
                                 [&](const Placement& placement) { return placement.pod == victim; });
    if (it == report_.placements.end()) return;
    report_.pending.push_back(
        {victim, it->profile, it->priority, fmt::format("placed on {}, then evicted for {}", it->node, preemptor), {}});
    report_.placements.erase(it);
  }

  // A budget that covers the pod allows one disruption less from now on, as its controller would write.
  void UseUpBudgets(const api::Pod& victim) {
    cluster::ClusterState& cluster = described_.cluster();
    for (const api::PodDisruptionBudget* budget : cluster.objects().PodDisruptionBudgets()) {
      const Result<api::Selector> selector = api::Selector::From(budget->selector);
      const bool covers = budget->meta.namespace_ == victim.meta.namespace_ && budget->disruptions_allowed > 0 &&
                          selector && selector->Matches(victim.meta.labels);
      if (!covers) continue;
      auto reduced = std::make_shared<api::PodDisruptionBudget>(*budget);
      --reduced->disruptions_allowed;
      cluster.SetObject(std::shared_ptr<const api::PodDisruptionBudget>(std::move(reduced)));
    }
  }

  // Notes the node PostFilter promised to the pod, or that an earlier promise is void. Says whether there is a promise.
  bool Nominate(Candidate& candidate, const framework::PostFilterResult& result) {
    if (result.mode != framework::PostFilterResult::Mode::Override) return false;
    PodInfoPtr& pod = candidate.queued.pod;
    described_.nominations().Remove(PodUid(**pod));
    pod = WithNomination(pod, result.nominated_node);
    if (result.nominated_node.empty()) return false;
    described_.nominations().Add(pod, result.nominated_node);
    return result.status.ok();
  }

  bool Place(Candidate& candidate, const Decision& decision, std::unique_ptr<Cycle> cycle,
             std::vector<std::string> evicted) {
    const PodInfoPtr& pod = candidate.queued.pod;
    const std::string node = described_.cluster().node(decision.node).name();
    const PodInfoPtr placed = WithNode(pod, node);
    Status status = candidate.profile->RunReserve(cycle->state, *pod, node);
    std::map<std::string, Duration> waits;
    if (status.ok()) {
      described_.cluster().PlacePod(placed, node);
      status = candidate.profile->RunPermit(cycle->state, *pod, node, waits);
    }
    const bool waiting = status.code() == framework::Code::Wait;
    if (!status.ok() && !waiting) {
      TakeBack(candidate, *cycle, node, status);
      return false;
    }
    described_.nominations().Remove(PodUid(**pod));
    ++version_;
    Placement placement{candidate.outcome.pod,      node,
                        candidate.outcome.profile,  candidate.outcome.priority,
                        cycle->feasible.size() > 1, decision.score,
                        cycle->feasible.size(),     static_cast<size_t>(candidate.queued.attempts),
                        std::move(evicted)};
    if (waiting) {
      described_.waiting_pods().Add(placed, waits);
      held_back_.push_back({std::move(candidate), std::move(placement), std::move(cycle)});
    } else {
      report_.placements.push_back(std::move(placement));
    }
    return true;
  }

  void TakeBack(Candidate& candidate, Cycle& cycle, const std::string& node, const Status& status) {
    candidate.profile->RunUnreserve(cycle.state, *candidate.queued.pod, node);
    described_.cluster().RemovePod(PodUid(**candidate.queued.pod));
    candidate.outcome.message = status.Message();
    candidate.outcome.rejectors = {std::string(status.plugin())};
  }

  // Once nothing else moves, pods that Permit plugins have let go are placed; those still held give their room back and
  // stay pending. Time stands still, so whoever waits now has waited long enough. Says whether room became free.
  bool SettleHeldBack() {
    bool freed = false;
    for (HeldBack& held : std::exchange(held_back_, {})) {
      const std::string uid(PodUid(**held.candidate.queued.pod));
      described_.waiting_pods().With(uid, [](framework::WaitingPod& waiting) {
        const std::vector<std::string> holders = waiting.pending_plugins();
        if (holders.empty()) return;
        // Does nothing where a plugin has rejected the pod already.
        waiting.Reject(holders.front(), fmt::format("held back at Permit by {}", fmt::join(holders, ", ")));
      });
      const Status status = *described_.waiting_pods().Take(uid);
      if (status.ok()) {
        report_.placements.push_back(std::move(held.placement));
        continue;
      }
      TakeBack(held.candidate, *held.cycle, held.placement.node, status);
      report_.pending.push_back(std::move(held.candidate.outcome));
      ++version_;
      freed = true;
    }
    return freed;
  }

  void ForgetClearedNominations(std::vector<Candidate>& waiting, size_t from) {
    for (const std::string& uid : described_.writer().TakeCleared()) {
      const auto forget = [&](Candidate& candidate) {
        if (PodUid(**candidate.queued.pod) == uid) candidate.queued.pod = WithNomination(candidate.queued.pod, "");
      };
      std::for_each(queue_.begin(), queue_.end(), forget);
      std::for_each(waiting.begin() + static_cast<std::ptrdiff_t>(from), waiting.end(), forget);
    }
  }

  DescribedCluster& described_;
  Rng rng_;
  std::vector<Candidate> queue_;  // pods without a node, in queue order
  std::vector<HeldBack> held_back_;
  uint64_t version_ = 0;  // counts placements and evictions
  PlacementReport report_;
};

}  // namespace

PlacementReport PlacePendingPods(DescribedCluster& described, uint64_t seed) {
  return PlacementRun(described, seed).Run();
}

}  // namespace berth::simulator
