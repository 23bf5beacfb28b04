// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/hosted_filter.h"

#include "framework/node_scan.h"
#include "remote/wire.h"
#include "runtime/plain_form.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::plugin_host {

using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfoPtr;
using framework::Status;
using framework::Verdicts;

namespace wire = plugin::v1;

namespace {

// The nodes of a call; nothing when some are unknown.
std::optional<Bitset> NodesOf(const wire::NodeSet& set, const Mirror& mirror) {
  std::optional<Bitset> nodes = remote::FromWire(set, mirror.cluster().node_slots());
  if (!nodes) return std::nullopt;
  Bitset dead = *nodes;
  dead.AndNot(mirror.cluster().live_nodes());
  if (dead.Any()) return std::nullopt;
  return nodes;
}

Status RunPreFilter(const Hosted& hosted, HostedCycle& cycle, wire::FilterAnswer* answer) {
  cycle.is_pre_filtered = true;
  if (hosted.plugin.pre_filter == nullptr) return Status::Success();
  const framework::PreFilterResult result =
      hosted.plugin.pre_filter->PreFilter(cycle.state, *cycle.pod, hosted.mirror.cluster());
  if (answer == nullptr || !result.node_names) return result.status;
  const cluster::ClusterState& cluster = hosted.mirror.cluster();
  Bitset only(cluster.node_slots());
  for (const std::string& name : *result.node_names) {
    if (const NodeId id = cluster.FindNode(name); id != framework::kNoNode) {
      only.Set(id);
    } else {
      answer->add_only_absent(name);
    }
  }
  answer->set_narrows(true);
  *answer->mutable_only() = remote::ToWire(only);
  return result.status;
}

void WriteVerdicts(const Bitset& nodes, const Verdicts& verdicts, wire::FilterAnswer& answer) {
  if (verdicts.passing() == nodes) return;
  for (const Status& reason : verdicts.table().subspan(1)) *answer.add_reasons() = remote::ToWire(reason);
  nodes.ForEach([&](size_t node) { answer.add_verdicts(verdicts.IdOf(static_cast<NodeId>(node))); });
}

bool IsSameChange(const wire::PodChange& a, const wire::PodChange& b) {
  return a.pod() == b.pod() && a.added() == b.added();
}

Status Apply(const Hosted& hosted, const wire::PodChange& change, const framework::PodInfo& pod, HostedTrial& trial) {
  const PodInfoPtr changed = hosted.mirror.FindPod(change.pod());
  if (changed == nullptr) return Status::FromError(fmt::format("unknown pod {}", change.pod()));
  trial.changes.push_back(change);
  const framework::PreFilterExtensions* extensions = hosted.plugin.pre_filter_extensions;
  if (change.added()) {
    trial.node.AddPod(changed);
    return extensions == nullptr ? Status::Success() : extensions->AddPod(trial.state, pod, *changed, trial.node);
  }
  if (!trial.node.RemovePod(framework::PodUid(*changed->pod))) {
    return Status::FromError(fmt::format("pod {} is not on node {}", change.pod(), trial.node.name()));
  }
  return extensions == nullptr ? Status::Success() : extensions->RemovePod(trial.state, pod, *changed, trial.node);
}

Status Judge(const Hosted& hosted, const wire::Hypothesis& hypothesis, HostedCycle& cycle) {
  const cluster::ClusterState& cluster = hosted.mirror.cluster();
  const NodeId id = hypothesis.node();
  if (id >= cluster.node_slots() || !cluster.live_nodes().Test(id)) {
    return Status::FromError(fmt::format("unknown node {}", id));
  }
  if (hypothesis.changes().empty()) return hosted.plugin.filter->Filter(cycle.state, *cycle.pod, cluster.node(id));
  std::optional<HostedTrial>& trial = cycle.trial;
  const uint64_t revision = cluster.journal().revision();
  const bool goes_on =
      trial && trial->revision == revision && trial->node.id == id &&
      trial->changes.size() <= static_cast<size_t>(hypothesis.changes_size()) &&
      std::equal(trial->changes.begin(), trial->changes.end(), hypothesis.changes().begin(), IsSameChange);
  if (!goes_on) {
    trial.reset();
    trial.emplace(HostedTrial{revision, cluster.node(id), cycle.state.Clone(), {}});
  }
  for (int i = static_cast<int>(trial->changes.size()); i < hypothesis.changes_size(); ++i) {
    if (Status status = Apply(hosted, hypothesis.changes(i), *cycle.pod, *trial); !status.ok()) {
      trial.reset();
      return status;
    }
  }
  return hosted.plugin.filter->Filter(trial->state, *cycle.pod, trial->node);
}

// Scores in the order of the nodes, or one for all.
void Pack(const framework::ScoreColumn& scores, google::protobuf::RepeatedField<int64_t>& numbers) {
  if (scores.is_uniform()) {
    numbers.Add(scores.uniform_value());
    return;
  }
  numbers.Reserve(static_cast<int>(scores.feasible().size()));
  for (const NodeId node : scores.feasible()) numbers.Add(scores.Get(node));
}

Status RunScore(const Hosted& hosted, const HostedCycle& cycle, const std::vector<NodeId>& nodes,
                wire::ScoreAnswer& answer) {
  const framework::PluginInstance& plugin = hosted.plugin;
  framework::ScoreColumn scores;
  scores.Reset(hosted.mirror.cluster().node_slots(), nodes);
  if (plugin.score_all != nullptr) {
    Status status = plugin.score_all->ScoreAll(cycle.state, *cycle.pod, hosted.mirror.cluster(), scores);
    if (!status.ok()) return status;
  } else if (plugin.score != nullptr) {
    const Result<void> scored =
        runtime::ScoreNodes({cycle.state, *cycle.pod, hosted.mirror.cluster(), nullptr}, *plugin.score, scores);
    if (!scored) return Status::FromError(scored.error());
  }
  Pack(scores, *answer.mutable_scores());
  if (plugin.normalize_score == nullptr) return Status::Success();
  if (Status status = plugin.normalize_score->NormalizeScore(cycle.state, *cycle.pod, scores); !status.ok()) {
    return status;
  }
  Pack(scores, *answer.mutable_normalized());
  return Status::Success();
}

}  // namespace

void AnswerFilter(const Hosted& hosted, const wire::FilterCall& call, HostedCycle& cycle, wire::Answer& answer) {
  wire::FilterAnswer& filter = *answer.mutable_filter();
  if (call.pre_filter()) {
    const Status status = RunPreFilter(hosted, cycle, &filter);
    *filter.mutable_pre_filter() = remote::ToWire(status);
    if (!status.ok()) return;
  }
  if (!call.filter()) return;
  const std::optional<Bitset> nodes = NodesOf(call.nodes(), hosted.mirror);
  if (!nodes) return answer.set_error("the call names nodes that were not told");
  if (hosted.plugin.filter == nullptr) return answer.set_error("the plugin has no Filter");
  if (hosted.pre_filters && !cycle.is_pre_filtered) {
    if (const Status status = RunPreFilter(hosted, cycle, nullptr); !status.ok()) {
      if (!status.is_skip()) *filter.mutable_filter() = remote::ToWire(status);
      return;
    }
  }
  Verdicts verdicts;
  verdicts.Reset(*nodes);
  runtime::PlainVerdicts scratch;
  const cluster::ClusterState& cluster = hosted.mirror.cluster();
  const Status status =
      hosted.plugin.filter_all != nullptr
          ? hosted.plugin.filter_all->FilterAll(cycle.state, *cycle.pod, cluster, verdicts)
          : runtime::FilterNodes({cycle.state, *cycle.pod, cluster, nullptr}, *hosted.plugin.filter, scratch, verdicts);
  *filter.mutable_filter() = remote::ToWire(status);
  if (status.ok()) WriteVerdicts(*nodes, verdicts, filter);
}

void AnswerJudge(const Hosted& hosted, const wire::JudgeCall& call, HostedCycle& cycle, wire::Answer& answer) {
  if (hosted.plugin.filter == nullptr) return answer.set_error("the plugin has no Filter");
  Status pre_filter;
  if (hosted.pre_filters && !cycle.is_pre_filtered) pre_filter = RunPreFilter(hosted, cycle, nullptr);
  for (const wire::Hypothesis& hypothesis : call.hypotheses()) {
    const Status status = pre_filter.is_skip() ? Status::Success()
                          : pre_filter.ok()    ? Judge(hosted, hypothesis, cycle)
                                               : pre_filter;
    *answer.mutable_judge()->add_statuses() = remote::ToWire(status);
  }
}

void AnswerScore(const Hosted& hosted, const wire::ScoreCall& call, HostedCycle& cycle, wire::Answer& answer) {
  const std::optional<Bitset> set = NodesOf(call.nodes(), hosted.mirror);
  if (!set) return answer.set_error("the call names nodes that were not told");
  std::vector<NodeId> nodes;
  framework::ListNodes(*set, nodes);
  wire::ScoreAnswer& score = *answer.mutable_score();
  Status status;
  if (call.pre_score() && hosted.plugin.pre_score != nullptr) {
    status = hosted.plugin.pre_score->PreScore(cycle.state, *cycle.pod, hosted.mirror.cluster(), nodes);
  }
  *score.mutable_pre_score() = remote::ToWire(status);
  if (status.ok() && call.score()) *score.mutable_score() = remote::ToWire(RunScore(hosted, cycle, nodes, score));
}

}  // namespace berth::plugin_host
