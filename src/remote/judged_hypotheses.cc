// SPDX-License-Identifier: Apache-2.0
#include "remote/judged_hypotheses.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using framework::ClusterView;
using framework::NodeId;
using framework::PodInfoPtr;
using framework::Status;

wire::Judged JudgedHypotheses::AnswerTo(const wire::Judge& judge) {
  wire::Judged judged;
  judged.set_id(judge.id());
  for (const wire::Hypothesis& hypothesis : judge.hypotheses()) {
    const Result<Status> status = Judge(hypothesis);
    if (!status) {
      trial_.reset();
      judged.set_error(status.error().message);
      return judged;
    }
    *judged.add_statuses() = ToWireWithPlugin(*status);
  }
  return judged;
}

Result<Status> JudgedHypotheses::Judge(const wire::Hypothesis& hypothesis) {
  const ClusterView& cluster = calls_.handle().cluster();
  const NodeId id = hypothesis.node();
  if (id >= cluster.node_slots() || !cluster.live_nodes().Test(id)) {
    return InvalidError(fmt::format("unknown node {}", id));
  }
  const auto same = [](const wire::PodChange& a, const wire::PodChange& b) {
    return a.pod() == b.pod() && a.added() == b.added();
  };
  const auto goes_on = [&] {
    return trial_->node.id == id && trial_->changes.size() <= static_cast<size_t>(hypothesis.changes_size()) &&
           std::equal(trial_->changes.begin(), trial_->changes.end(), hypothesis.changes().begin(), same);
  };
  if (!trial_ || !goes_on()) Begin(id);
  for (int i = static_cast<int>(trial_->changes.size()); i < hypothesis.changes_size(); ++i) {
    BERTH_ASSIGN_OR_RETURN(const Status status, Apply(hypothesis.changes(i)));
    if (!status.ok()) {
      trial_.reset();
      return status;
    }
  }
  return calls_.handle().plugin_runner().RunFilterPluginsWithNominatedPods(trial_->state, pod_, trial_->node);
}

void JudgedHypotheses::Begin(NodeId node) {
  trial_.reset();
  trial_.emplace(Trial{calls_.handle().cluster().node(node), state_.Clone(), {}});
}

Result<Status> JudgedHypotheses::Apply(const wire::PodChange& change) {
  const PodInfoPtr pod = FindPod(change.pod());
  if (pod == nullptr) return InvalidError(fmt::format("unknown pod {}", change.pod()));
  const framework::PluginRunner& runner = calls_.handle().plugin_runner();
  trial_->changes.push_back(change);
  if (change.added()) {
    trial_->node.AddPod(pod);
    return runner.RunPreFilterAddPod(trial_->state, pod_, *pod, trial_->node);
  }
  if (!trial_->node.RemovePod(framework::PodUid(*pod->pod))) {
    return InvalidError(fmt::format("pod {} is not on node {}", change.pod(), trial_->node.name()));
  }
  return runner.RunPreFilterRemovePod(trial_->state, pod_, *pod, trial_->node);
}

// As it is on its node; pods elsewhere are known by what they were told as.
PodInfoPtr JudgedHypotheses::FindPod(uint64_t id) const {
  const std::optional<ToldPods::Pod> told = calls_.FindTold(id);
  if (!told) return nullptr;
  const ClusterView& cluster = calls_.handle().cluster();
  if (told->node != framework::kNoNode) {
    for (const PodInfoPtr& pod : cluster.node(told->node).pods) {
      if (framework::PodUid(*pod->pod) == framework::PodUid(*told->object)) return pod;
    }
  }
  if (told->pod_class == nullptr) return nullptr;
  return std::make_shared<const framework::PodInfo>(told->object, told->pod_class);
}

}  // namespace berth::remote
