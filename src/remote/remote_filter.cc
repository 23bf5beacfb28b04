// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_filter.h"

#include "framework/node_scan.h"
#include "remote/hypothesis.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::remote {

using framework::ClusterView;
using framework::Code;
using framework::CycleState;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PreFilterResult;
using framework::Status;
using framework::Verdicts;

namespace {

// Of a step that does not wait.
std::string ProblemOfStatus(const wire::Status& status, bool may_skip) {
  const std::optional<Status> read = FromWire(status);
  if (!read) return fmt::format("unknown code {}", static_cast<int>(status.code()));
  if (read->code() == Code::Wait) return "Wait";
  if (read->is_skip() && !may_skip) return "Skip";
  return "";
}

std::string ProblemOfPreFilter(const wire::Answer& answer, size_t slots) {
  if (!answer.has_filter()) return "it answers another step";
  const wire::FilterAnswer& filter = answer.filter();
  if (filter.narrows() && !FromWire(filter.only(), slots)) return "it names unknown nodes";
  return ProblemOfStatus(filter.pre_filter(), /*may_skip=*/true);
}

std::string ProblemOfFilter(const wire::Answer& answer, size_t nodes) {
  if (!answer.has_filter()) return "it answers another step";
  const wire::FilterAnswer& filter = answer.filter();
  const auto count = static_cast<size_t>(filter.verdicts_size());
  if (count != 0 && count != nodes) return fmt::format("{} verdicts on {} nodes", count, nodes);
  for (const uint32_t verdict : filter.verdicts()) {
    if (verdict > static_cast<uint32_t>(filter.reasons_size())) return fmt::format("unknown verdict {}", verdict);
  }
  for (const wire::Status& reason : filter.reasons()) {
    if (std::string problem = ProblemOfStatus(reason, false); !problem.empty()) return problem;
    if (reason.code() == wire::SUCCESS) return "a rejection that is none";
  }
  return ProblemOfStatus(filter.filter(), false);
}

std::string ProblemOfJudge(const wire::Answer& answer) {
  if (!answer.has_judge()) return "it answers another step";
  if (answer.judge().statuses_size() != 1) {
    return fmt::format("{} verdicts on 1 node", answer.judge().statuses_size());
  }
  return ProblemOfStatus(answer.judge().statuses(0), false);
}

// An error on a node is one of the whole step, as in the plain form.
Status TakeVerdicts(const wire::FilterAnswer& answer, const std::vector<NodeId>& nodes, Verdicts& verdicts) {
  if (Status whole = *FromWire(answer.filter()); !whole.ok()) return whole;
  std::vector<Verdicts::Id> ids(static_cast<size_t>(answer.reasons_size()) + 1, Verdicts::kPass);
  for (int i = 0; i < answer.verdicts_size(); ++i) {
    const uint32_t verdict = answer.verdicts(i);
    if (verdict == 0) continue;
    if (ids[verdict] == Verdicts::kPass) {
      const Status status = *FromWire(answer.reasons(static_cast<int>(verdict) - 1));
      if (!status.is_rejected()) return status;
      ids[verdict] = verdicts.Intern(status);
    }
    verdicts.Reject(nodes[static_cast<size_t>(i)], ids[verdict]);
  }
  return Status::Success();
}

framework::PodInfoPtr Shared(const PodInfo& pod) { return std::make_shared<const PodInfo>(pod); }

}  // namespace

PreFilterResult RemoteFilter::PreFilter(CycleState& state, const PodInfo& pod, framework::IndexedCluster& cluster) {
  RemoteCycle& cycle = calls_.CycleOf(state);
  if (fallback_ != nullptr) fallback_->SetCluster(cluster);
  const std::shared_ptr<const OpenCalls::Session> session = calls_.OpenSession();
  VerdictMemory::OfClass* known = memory_.Of(pod, session.get(), cluster.node_slots());
  cycle.knew_pre_filter = known != nullptr && known->pre_filter.has_value();
  if (cycle.knew_pre_filter) return {*known->pre_filter, {}};
  Result<PreFilterResult> result = AskPreFilter(cycle, pod);
  if (result) {
    // Which nodes there are is not a matter of the pod's class alone.
    if (known != nullptr && !result->node_names) known->pre_filter = result->status;
    return *std::move(result);
  }
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return {Status::Skip(), {}};
    case FailurePolicy::Fallback: return fallback_->PreFilter(cycle, pod);
  }
  return {Status::FromError(result.error()), {}};
}

Result<PreFilterResult> RemoteFilter::AskPreFilter(const RemoteCycle& cycle, const PodInfo& pod) {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(cycle.number()));
  wire::FilterCall& call = *draft.call.mutable_filter();
  call.set_pod(calls_.IdOf(pod));
  call.set_pre_filter(true);
  const ClusterView& cluster = calls_.handle().cluster();
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, calls_.Ask("PreFilter", draft, [&](const wire::Answer& given) {
    return ProblemOfPreFilter(given, cluster.node_slots());
  }));
  const wire::FilterAnswer& filter = answer.filter();
  PreFilterResult result{*FromWire(filter.pre_filter()), {}};
  if (!filter.narrows()) return result;
  std::set<std::string>& names = result.node_names.emplace(filter.only_absent().begin(), filter.only_absent().end());
  Bitset only = *FromWire(filter.only(), cluster.node_slots());
  only.And(cluster.live_nodes());
  only.ForEach([&](size_t id) { names.insert(cluster.node(static_cast<NodeId>(id)).name()); });
  return result;
}

Status RemoteFilter::AddPod(CycleState& state, const PodInfo& /*pod*/, const PodInfo& added,
                            const NodeInfo& node) const {
  calls_.CycleOf(state).changes.push_back({node.id, Shared(added), true});
  return Status::Success();
}

Status RemoteFilter::RemovePod(CycleState& state, const PodInfo& /*pod*/, const PodInfo& removed,
                               const NodeInfo& node) const {
  calls_.CycleOf(state).changes.push_back({node.id, Shared(removed), false});
  return Status::Success();
}

Status RemoteFilter::Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) const {
  const RemoteCycle* cycle = calls_.FindCycle(state);
  const bool fell_back = cycle != nullptr && cycle->fallback != nullptr;
  Result<Status> status = fell_back ? fallback_->Filter(*cycle, pod, node) : AskFilter(cycle, pod, node);
  if (status) return *std::move(status);
  const RemoteCycle none;
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return Status::Success();
    case FailurePolicy::Fallback: return fallback_->Filter(cycle == nullptr ? none : *cycle, pod, node);
  }
  return Status::FromError(status.error());
}

Result<Status> RemoteFilter::AskFilter(const RemoteCycle* cycle, const PodInfo& pod, const NodeInfo& node) const {
  const MutexLock lock(mutex_);
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(cycle == nullptr ? 0 : cycle->number()));
  wire::JudgeCall& call = *draft.call.mutable_judge();
  call.set_pod(calls_.IdOf(pod));
  std::span<const NodeChange> recorded;
  if (cycle != nullptr) recorded = cycle->changes;
  WriteHypothesis(node, ChangesTo(node, calls_.ToldPodsOn(node.id), recorded), calls_, *call.add_hypotheses());
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, calls_.Ask("Filter", draft, ProblemOfJudge));
  return *FromWire(answer.judge().statuses(0));
}

Status RemoteFilter::FilterAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                               Verdicts& verdicts) const {
  const RemoteCycle* cycle = calls_.FindCycle(state);
  const bool fell_back = cycle != nullptr && cycle->fallback != nullptr;
  Result<Status> status =
      fell_back ? fallback_->FilterAll(*cycle, pod, cluster, verdicts) : AskFilterAll(cycle, pod, verdicts);
  if (status) return *std::move(status);
  const RemoteCycle none;
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return Status::Success();
    case FailurePolicy::Fallback: return fallback_->FilterAll(cycle == nullptr ? none : *cycle, pod, cluster, verdicts);
  }
  return Status::FromError(status.error());
}

Result<Status> RemoteFilter::AskFilterAll(const RemoteCycle* cycle, const PodInfo& pod, Verdicts& verdicts) const {
  if (verdicts.passing().None()) return Status::Success();
  const std::shared_ptr<const OpenCalls::Session> session = calls_.OpenSession();
  VerdictMemory::OfClass* known = memory_.Of(pod, session.get(), calls_.handle().cluster().node_slots());
  if (known != nullptr) return FilterByMemory(cycle, pod, *known, verdicts);
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, AskAbout(verdicts.passing(), cycle, pod));
  std::vector<NodeId> nodes;
  framework::ListNodes(verdicts.passing(), nodes);
  return TakeVerdicts(answer.filter(), nodes, verdicts);
}

Result<wire::Answer> RemoteFilter::AskAbout(const Bitset& nodes, const RemoteCycle* cycle, const PodInfo& pod) const {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(cycle == nullptr ? 0 : cycle->number()));
  wire::FilterCall& call = *draft.call.mutable_filter();
  call.set_pod(calls_.IdOf(pod));
  call.set_pre_filter(cycle != nullptr && cycle->knew_pre_filter);
  call.set_filter(true);
  *call.mutable_nodes() = ToWire(nodes);
  const size_t count = nodes.Count();
  return calls_.Ask("Filter", draft, [count](const wire::Answer& given) { return ProblemOfFilter(given, count); });
}

Result<Status> RemoteFilter::FilterByMemory(const RemoteCycle* cycle, const PodInfo& pod, VerdictMemory::OfClass& known,
                                            Verdicts& verdicts) const {
  const ClusterView& cluster = calls_.handle().cluster();
  const std::span<const uint64_t> stamps = memory_.Stamps(cluster);
  Bitset unknown = verdicts.passing();
  framework::KeepWhere(unknown, [&](NodeId node) { return known.filtered[node] != stamps[node]; });
  if (unknown.Any()) {
    BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, AskAbout(unknown, cycle, pod));
    // What PreFilter says now counts for all nodes, and is not what it said before.
    if (const Status pre_filter = *FromWire(answer.filter().pre_filter()); !pre_filter.ok()) {
      known.pre_filter.reset();
      if (pre_filter.is_rejected()) verdicts.RejectEverything(verdicts.Intern(pre_filter));
      return pre_filter.is_rejected() || pre_filter.is_skip() ? Status::Success() : pre_filter;
    }
    framework::Verdicts said;
    said.Reset(unknown);
    std::vector<NodeId> nodes;
    framework::ListNodes(unknown, nodes);
    if (Status status = TakeVerdicts(answer.filter(), nodes, said); !status.ok()) return status;
    for (const NodeId node : nodes) {
      known.filtered[node] = stamps[node];
      known.verdicts[node] = said.Passes(node) ? VerdictMemory::kPass : known.NumberOf(said.Of(node));
    }
  }
  std::vector<Verdicts::Id> ids(known.reasons.size(), Verdicts::kPass);
  for (size_t word = 0; word < verdicts.passing().words().size(); ++word) {
    const Bitset::Word rejected = framework::WordWhere(
        verdicts.passing(), word, [&](NodeId node) { return known.verdicts[node] != VerdictMemory::kPass; });
    if (rejected == 0) continue;
    verdicts.RejectWord(word, rejected, [&](NodeId node) {
      Verdicts::Id& id = ids[known.verdicts[node]];
      if (id == Verdicts::kPass) id = verdicts.Intern(known.reasons[known.verdicts[node]]);
      return id;
    });
  }
  return Status::Success();
}

}  // namespace berth::remote
