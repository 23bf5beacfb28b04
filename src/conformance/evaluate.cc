// SPDX-License-Identifier: Apache-2.0
#include "conformance/evaluate.h"

#include "base/rng.h"
#include "conformance/evaluate_parts.h"
#include "scheduler/decide.h"

#include <algorithm>

namespace berth::conformance {

using api::Value;
using framework::ExtensionPoint;
using framework::NodeId;
using framework::PodInfo;
using framework::Status;
using framework::Verdicts;
using runtime::Cycle;
using runtime::Profile;
using scheduler::Decision;
using Outcome = Decision::Outcome;

namespace {

// Rejected nodes by name.
Value Rejections(const framework::ClusterView& cluster, const Verdicts& verdicts, bool with_plugin,
                 const std::optional<std::set<std::string>>& only) {
  std::map<std::string, Value> by_name;
  cluster.live_nodes().ForEach([&](size_t slot) {
    const auto id = static_cast<NodeId>(slot);
    const std::string& name = cluster.node(id).name();
    if (verdicts.Passes(id) || (only && !only->contains(name))) return;
    by_name.emplace(name, VerdictOf(verdicts.Of(id), with_plugin));
  });
  Value rejections = Value::Map();
  for (auto& [name, verdict] : by_name) rejections.Set(name, std::move(verdict));
  return rejections;
}

// An error on one node ends a cycle, but a golden case has a verdict for every node: each is judged separately.
template <typename Judge>
void JudgeNodeByNode(const framework::ClusterView& cluster, Verdicts& verdicts, Judge&& judge) {
  verdicts.Reset(cluster.live_nodes());
  verdicts.set_plugin({});
  cluster.live_nodes().ForEach([&](size_t slot) {
    const auto id = static_cast<NodeId>(slot);
    verdicts.Replace(id, judge(cluster.node(id)));
  });
}

Value FilterEach(const Profile& profile, const Cycle& cycle, const PodInfo& pod) {
  Value each = Value::Map();
  const auto plugins = profile.plugins().NamesAt(ExtensionPoint::Filter);
  for (size_t i = 0; i < plugins.size(); ++i) {
    Verdicts verdicts;
    const Status status = profile.filtering().RunFilterAlone(i, cycle, pod, verdicts);
    if (status.is_skip()) continue;
    if (!status.ok()) {
      const framework::FilterPlugin& filter = *profile.plugins().Find(plugins[i])->filter;
      JudgeNodeByNode(profile.cluster(), verdicts,
                      [&](const framework::NodeInfo& node) { return filter.Filter(cycle.state, pod, node); });
    }
    Value rejections = Rejections(profile.cluster(), verdicts, false, std::nullopt);
    if (!rejections.members().empty()) each.Set(plugins[i], std::move(rejections));
  }
  return each;
}

void ScorePart(const Profile& profile, Cycle& cycle, const PodInfo& pod, Value& actual) {
  if (Status status = profile.scoring().RunPreScore(cycle, pod); !status.ok()) {
    actual.Set("error", Value::String("preScore: " + status.Message()));
    return;
  }
  std::vector<runtime::PluginScores> detail;
  if (Status status = profile.scoring().RunScore(cycle, pod, &detail); !status.ok()) {
    actual.Set("error", Value::String("score: " + status.Message()));
    return;
  }
  // Golden arrays are in order of name, the cycle in order of node number.
  std::vector<size_t> order(cycle.feasible.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto name = [&](size_t i) -> const std::string& { return profile.cluster().node(cycle.feasible[i]).name(); };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return name(a) < name(b); });
  const auto in_order = [&](const std::vector<int64_t>& values) {
    Value list = Value::List();
    for (const size_t i : order) list.Append(Value::Int(values[i]));
    return list;
  };
  Value scores = Value::Map();
  for (const runtime::PluginScores& said : detail) {
    Value entry = Value::Map();
    entry.Set("weight", Value::Int(said.weight));
    entry.Set("raw", in_order(said.raw));
    entry.Set("final", in_order(said.weighted));
    scores.Set(said.plugin, std::move(entry));
  }
  actual.Set("scores", std::move(scores));
  const std::vector<std::string> skipped = Skipped(profile, cycle.skipped_scores, {ExtensionPoint::PreScore});
  if (!skipped.empty()) actual.Set("scoreSkipped", StringList(skipped));
  actual.Set("totals", in_order(cycle.totals));
  const int64_t best = *std::max_element(cycle.totals.begin(), cycle.totals.end());
  std::vector<std::string> best_names;
  for (const size_t i : order) {
    if (cycle.totals[i] == best) best_names.push_back(name(i));
  }
  actual.Set("best", StringList(best_names));
}

// Decide's outcome, and any contradiction in it or with the steps run one by one.
Value Decided(const Profile& profile, const Cycle& steps, const Cycle& whole, const Decision& decision) {
  Value decided = Value::Map();
  const auto contradiction = [&](std::string text) { decided.Set("contradiction", Value::String(std::move(text))); };
  if (decision.outcome == Outcome::Error) {
    decided.Set("outcome", Value::String("Error"));
    return decided;
  }
  if (decision.outcome == Outcome::Unschedulable) {
    decided.Set("outcome", Value::String("Unschedulable"));
    if (!steps.feasible.empty()) contradiction("nodes are feasible");
    return decided;
  }
  decided.Set("outcome", Value::String("Placed"));
  std::vector<std::string> choices;
  bool is_choice = false;
  for (size_t i = 0; i < whole.feasible.size(); ++i) {
    if (whole.feasible.size() > 1 && whole.totals[i] != decision.score) continue;
    choices.push_back(profile.cluster().node(whole.feasible[i]).name());
    is_choice = is_choice || whole.feasible[i] == decision.node;
  }
  if (!is_choice || decision.best_count != choices.size()) contradiction("the node chosen is not one of the best");
  // A nominated node that fits is taken without judging the others.
  const bool took_promise = whole.feasible.size() == 1 && steps.feasible.size() > 1;
  if (!took_promise && (whole.feasible != steps.feasible || whole.totals != steps.totals)) {
    contradiction("steps one by one give other nodes or totals");
  }
  decided.Set("choices", StringList(Sorted(std::move(choices))));
  return decided;
}

}  // namespace

Value Evaluate(CaseCluster& cluster, const PodInfo& pod, Value* decided) {
  Profile& profile = cluster.profile();
  cluster.ResetNominations();
  Value actual = Value::Map();
  if (Status gate = profile.RunPreEnqueue(*pod); !gate.ok()) actual.Set("preEnqueue", VerdictOf(gate, true));

  Cycle cycle;
  cycle.Reset();
  const Status pre_filter = profile.filtering().RunPreFilter(cycle, pod);
  actual.Set("preFilter", PreFilterPart(profile, cycle, pre_filter));
  actual.Set("feasible", Value::List());
  if (pre_filter.ok()) {
    if (Status status = profile.filtering().RunFilter(cycle, pod); !status.ok()) {
      JudgeNodeByNode(profile.cluster(), cycle.verdicts, [&](const framework::NodeInfo& node) {
        return profile.filtering().RunFilterPluginsWithNominatedPods(cycle.state, pod, node);
      });
      cycle.verdicts.passing().ForEach([&](size_t slot) {
        const auto id = static_cast<NodeId>(slot);
        if (cycle.narrowed_to && !cycle.narrowed_to->contains(profile.cluster().node(id).name())) return;
        cycle.feasible.push_back(id);
      });
    }
    Value rejections = Rejections(profile.cluster(), cycle.verdicts, true, cycle.narrowed_to);
    if (!rejections.members().empty()) actual.Set("filter", std::move(rejections));
    Value each = FilterEach(profile, cycle, pod);
    if (!each.members().empty()) actual.Set("filterEach", std::move(each));
    std::vector<std::string> feasible;
    for (const NodeId id : cycle.feasible) feasible.push_back(profile.cluster().node(id).name());
    actual.Set("feasible", StringList(Sorted(std::move(feasible))));
    if (cycle.feasible.size() > 1) ScorePart(profile, cycle, pod, actual);
  }

  // The whole cycle, for the message and for preemption.
  Rng rng(0);
  Cycle whole;
  scheduler::Decision decision = scheduler::Decide(profile, pod, whole, rng, {.run_post_filter = false});
  if (decided != nullptr) *decided = Decided(profile, cycle, whole, decision);
  if (decision.outcome == Outcome::Error) {
    actual.Set("error", Value::String(decision.message));
  } else if (decision.outcome == Outcome::Unschedulable) {
    if (!decision.rejectors.empty()) actual.Set("rejectors", StringList(decision.rejectors));
    // Without nodes, PostFilter is not run.
    if (profile.cluster().node_count() > 0) PostFilterPart(profile, whole, pod, actual, decision.message);
    actual.Set("failure", Value::String(decision.message));
  }
  return actual;
}

}  // namespace berth::conformance
