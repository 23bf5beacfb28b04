// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/simulated_pods.h"

#include "base/check.h"

#include <utility>

namespace berth::simulator {

using State = SimulatedPod::State;

namespace {

std::string Name(std::string_view ns, std::string_view name) {
  std::string joined(ns);
  return joined.append("/").append(name);
}

}  // namespace

SimulatedPod& SimulatedPods::Add(store::Key key) {
  SimulatedPod& pod = pods_.emplace_back();
  pod.number = pods_.size() - 1;
  pod.key = std::move(key);
  const bool is_new = by_name_.emplace(Name(pod.key.namespace_, pod.key.name), pod.number).second;
  BERTH_CHECK(is_new);
  return pod;
}

SimulatedPod* SimulatedPods::Find(std::string_view ns, std::string_view name) {
  const auto it = by_name_.find(Name(ns, name));
  return it == by_name_.end() ? nullptr : &pods_[it->second];
}

std::vector<SimulatedPod*> SimulatedPods::Living(uint32_t workload) {
  std::vector<SimulatedPod*> living;
  for (SimulatedPod& pod : pods_) {
    if (pod.workload == workload && pod.state != State::Over) living.push_back(&pod);
  }
  return living;
}

std::vector<SimulatedPod*> SimulatedPods::On(std::string_view node) {
  std::vector<SimulatedPod*> pods;
  const auto it = by_node_.find(node);
  if (it == by_node_.end()) return pods;
  for (const size_t number : it->second) pods.push_back(&pods_[number]);
  return pods;
}

size_t SimulatedPods::CountOn(std::string_view node) const {
  const auto it = by_node_.find(node);
  return it == by_node_.end() ? 0 : it->second.size();
}

void SimulatedPods::Bind(SimulatedPod& pod, std::string_view node) {
  BERTH_CHECK(pod.state == State::Pending);
  pod.state = State::Running;
  pod.node = node;
  by_node_[pod.node].insert(pod.number);
}

void SimulatedPods::Strand(SimulatedPod& pod) {
  LeaveNode(pod);
  pod.state = State::Stranded;
}

void SimulatedPods::End(SimulatedPod& pod) {
  LeaveNode(pod);
  pod.state = State::Over;
  by_name_.erase(Name(pod.key.namespace_, pod.key.name));
}

void SimulatedPods::LeaveNode(const SimulatedPod& pod) {
  const auto it = by_node_.find(pod.node);
  if (it != by_node_.end()) it->second.erase(pod.number);
}

}  // namespace berth::simulator
