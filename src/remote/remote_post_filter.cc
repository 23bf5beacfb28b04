// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_post_filter.h"

#include "remote/judged_hypotheses.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::remote {

using framework::ClusterView;
using framework::CycleState;
using framework::NodeId;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::PostFilterResult;
using framework::Status;
using framework::Verdicts;

namespace {

using Mode = PostFilterResult::Mode;

void Write(const Verdicts& verdicts, const Bitset& nodes, wire::PostFilterCall& call) {
  for (const Status& reason : verdicts.table().subspan(1)) *call.add_reasons() = ToWireWithPlugin(reason);
  nodes.ForEach([&](size_t node) { call.add_verdicts(verdicts.IdOf(static_cast<NodeId>(node))); });
}

// Where the pods to be evicted are; null when one of them is not there.
std::optional<std::vector<PodInfoPtr>> FindVictims(const wire::PostFilterAnswer& answer, const ClusterView& cluster,
                                                   PluginCalls& calls) {
  std::vector<PodInfoPtr> victims;
  if (answer.victims().empty()) return victims;
  const NodeId node = cluster.FindNode(answer.nominated_node());
  if (node == framework::kNoNode) return std::nullopt;
  const std::vector<PodInfoPtr>& pods = cluster.node(node).pods;
  for (const uint64_t id : answer.victims()) {
    const api::PodPtr object = calls.FindPod(id);
    const auto it = std::ranges::find_if(pods, [&](const PodInfoPtr& pod) {
      return object != nullptr && framework::PodUid(*pod->pod) == framework::PodUid(*object);
    });
    if (it == pods.end()) return std::nullopt;
    victims.push_back(*it);
  }
  return victims;
}

std::string ProblemOfPostFilter(const wire::Answer& answer, const ClusterView& cluster, PluginCalls& calls) {
  if (!answer.has_post_filter()) return "it answers another step";
  const wire::PostFilterAnswer& given = answer.post_filter();
  const std::optional<Status> status = FromWire(given.status());
  if (!status) return "unknown code";
  const std::string& node = given.nominated_node();
  if (!node.empty() && cluster.FindNode(node) == framework::kNoNode) return fmt::format("unknown node {}", node);
  if (!FindVictims(given, cluster, calls)) return fmt::format("a victim is not on node {}", node);
  return "";
}

}  // namespace

PostFilterResult RemotePostFilter::PostFilter(CycleState& state, const PodInfo& pod, framework::IndexedCluster& cluster,
                                              const Verdicts& verdicts) {
  Result<PostFilterResult> result = Ask(state, pod, verdicts);
  if (result) return *std::move(result);
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return {Status::Unschedulable(result.error().message), Mode::NoOp, {}};
    case FailurePolicy::Fallback: {
      framework::PostFilterPlugin* plugin = fallback_->instance().post_filter;
      if (plugin != nullptr) return plugin->PostFilter(state, pod, cluster, verdicts);
      return {Status::Unschedulable(result.error().message), Mode::NoOp, {}};
    }
  }
  return {Status::FromError(result.error()), Mode::NoOp, {}};
}

Result<PostFilterResult> RemotePostFilter::Ask(CycleState& state, const PodInfo& pod, const Verdicts& verdicts) {
  const ClusterView& cluster = calls_.handle().cluster();
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(calls_.CycleOf(state).number()));
  wire::PostFilterCall& call = *draft.call.mutable_post_filter();
  call.set_pod(calls_.IdOf(pod));
  call.set_preempting(calls_.handle().evictor().IsPreempting(pod->meta.uid));
  Write(verdicts, cluster.live_nodes(), call);
  JudgedHypotheses judged(calls_, state, pod);
  BERTH_ASSIGN_OR_RETURN(
      const wire::Answer answer,
      calls_.Ask(
          "PostFilter", draft, [&](const wire::Answer& given) { return ProblemOfPostFilter(given, cluster, calls_); },
          [&](const wire::Judge& judge) { return judged.AnswerTo(judge); }));
  return Take(answer.post_filter(), pod);
}

PostFilterResult RemotePostFilter::Take(const wire::PostFilterAnswer& answer, const PodInfo& pod) {
  framework::Evictor& evictor = calls_.handle().evictor();
  if (answer.tried_preemption()) evictor.NoteAttempt();
  const std::vector<PodInfoPtr> victims = *FindVictims(answer, calls_.handle().cluster(), calls_);
  if (!victims.empty()) evictor.Preempt(pod, answer.nominated_node(), victims, calls_.name());
  return {*FromWire(answer.status()), answer.overrides() ? Mode::Override : Mode::NoOp, answer.nominated_node()};
}

}  // namespace berth::remote
