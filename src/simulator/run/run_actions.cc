// SPDX-License-Identifier: Apache-2.0
// How a scenario's actions change the simulated cluster.
#include "simulator/run/virtual_run.h"

#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

namespace {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

}  // namespace

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
