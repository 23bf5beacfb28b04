// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/filter_rules.h"

#include "framework/verdicts.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace berth::plugin_check {

using framework::Code;
using framework::CycleState;
using framework::kNoNode;
using framework::NodeId;
using framework::PodInfo;
using framework::Status;
using framework::Verdicts;

namespace {

constexpr size_t kHalves = 2;  // how often FilterAll is asked about some of the nodes

}  // namespace

Bitset FilterRules::Check(const PodInfo& pod, PodAnswer& answer) {
  const PreparedPod prepared = Prepare(plugin_, pod, cluster_);
  CheckPreFilter(pod, prepared);
  Bitset passing(cluster_.node_slots());
  if (!prepared.goes_on()) {
    answer.pre_filter = StatusText(prepared.status);
    return passing;
  }
  if (prepared.skips_filter()) answer.pre_filter = "skip";
  Bitset candidates = cluster_.live_nodes();
  candidates.ForEach([&](size_t id) {
    if (!prepared.Names(cluster_.node(static_cast<NodeId>(id)).name())) candidates.Reset(id);
  });
  answer.rejected = cluster_.node_count() - candidates.Count();
  if (!plugin_.at_filter || prepared.skips_filter()) {
    answer.passed = candidates.Count();
    return candidates;
  }
  const std::vector<Status> plain = AskEveryNode(pod, prepared);
  passing = candidates;
  candidates.ForEach([&](size_t id) {
    if (plain[id].ok()) return;
    passing.Reset(id);
    ++report_.rejections[StatusText(plain[id])];
  });
  answer.passed = passing.Count();
  answer.rejected += candidates.Count() - passing.Count();
  if (plugin_.instance.filter_all != nullptr) {
    CheckColumns(pod, prepared, candidates, plain);
    for (size_t i = 0; i < kHalves; ++i) {
      Bitset some = candidates;
      candidates.ForEach([&](size_t id) { some.Assign(id, dice_.Chance(0.5)); });
      CheckColumns(pod, prepared, some, plain);
    }
  }
  return passing;
}

void FilterRules::CheckPreFilter(const PodInfo& pod, const PreparedPod& first) {
  if (!plugin_.at_pre_filter) return;
  const std::string about = fmt::format("PreFilter of pod {}", pod->meta.Key());
  const PreparedPod second = Prepare(plugin_, pod, cluster_);
  if (!SayTheSame(first.status, second.status)) {
    report_.Note(kSameAnswer,
                 fmt::format("{}: {}, then {}", about, StatusText(first.status), StatusText(second.status)));
  } else if (first.node_names != second.node_names) {
    report_.Note(kSameAnswer, fmt::format("{}: other node names the second time", about));
  }
  const Code code = first.status.code();
  if (code == Code::Error) report_.Note(kNothingFails, fmt::format("{}: {}", about, first.status.Message()));
  if (code == Code::Wait || code == Code::Pending) {
    report_.Note(kCodesHaveMeaning, fmt::format("{}: {}", about, StatusText(first.status)));
  }
  if (!first.node_names) return;
  for (const std::string& name : *first.node_names) {
    if (cluster_.FindNode(name) == kNoNode) report_.Note(kNodesExist, fmt::format("{}: \"{}\"", about, name));
  }
}

std::vector<Status> FilterRules::AskEveryNode(const PodInfo& pod, const PreparedPod& prepared) {
  std::vector<NodeId> nodes;
  cluster_.live_nodes().ForEach([&](size_t id) { nodes.push_back(static_cast<NodeId>(id)); });
  std::vector<Status> answers(cluster_.node_slots());
  for (const NodeId id : nodes) {
    const Status& answer = answers[id] = plugin_.instance.filter->Filter(prepared.state, pod, cluster_.node(id));
    const auto about = [&] {
      return fmt::format("Filter of pod {} and node {}: {}", pod->meta.Key(), cluster_.node(id).name(),
                         StatusText(answer));
    };
    if (answer.code() == Code::Error) report_.Note(kNothingFails, about());
    if (answer.code() == Code::Wait || answer.code() == Code::Skip) report_.Note(kCodesHaveMeaning, about());
  }
  // Backwards, and in a copy of the state, as preemption asks.
  const CycleState copy = prepared.state.Clone();
  std::reverse(nodes.begin(), nodes.end());
  for (const NodeId id : nodes) {
    const Status again = plugin_.instance.filter->Filter(copy, pod, cluster_.node(id));
    if (SayTheSame(answers[id], again)) continue;
    report_.Note(kSameAnswer, fmt::format("Filter of pod {} and node {}: {}, then {}", pod->meta.Key(),
                                          cluster_.node(id).name(), StatusText(answers[id]), StatusText(again)));
  }
  return answers;
}

void FilterRules::CheckColumns(const PodInfo& pod, const PreparedPod& prepared, const Bitset& candidates,
                               const std::vector<Status>& plain) {
  Verdicts verdicts;
  verdicts.Reset(candidates);
  verdicts.set_plugin(plugin_.name);
  const Status all = plugin_.instance.filter_all->FilterAll(prepared.state, pod, cluster_, verdicts);
  bool fails = false;
  candidates.ForEach([&](size_t id) { fails = fails || (!plain[id].ok() && !plain[id].is_rejected()); });
  if (fails == all.ok()) {
    report_.Note(kFiltersAgree, fmt::format("pod {}: Filter {}, FilterAll {}", pod->meta.Key(),
                                            fails ? "fails" : "does not fail", StatusText(all)));
  }
  if (!fails && all.ok()) CompareColumns(pod, verdicts, candidates, plain);
}

void FilterRules::CompareColumns(const PodInfo& pod, const Verdicts& verdicts, const Bitset& candidates,
                                 const std::vector<Status>& plain) {
  cluster_.live_nodes().ForEach([&](size_t slot) {
    const auto id = static_cast<NodeId>(slot);
    const std::string& node = cluster_.node(id).name();
    if (!candidates.Test(id)) {
      if (verdicts.IdOf(id) == Verdicts::kPass) return;
      report_.Note(kCandidatesOnly, fmt::format("FilterAll of pod {} judged node {}", pod->meta.Key(), node));
    } else if (!SayTheSame(plain[id], verdicts.Of(id)) || plain[id].ok() != verdicts.Passes(id)) {
      report_.Note(kFiltersAgree, fmt::format("pod {} and node {}: Filter {}, FilterAll {}", pod->meta.Key(), node,
                                              StatusText(plain[id]), StatusText(verdicts.Of(id))));
    }
  });
}

}  // namespace berth::plugin_check
