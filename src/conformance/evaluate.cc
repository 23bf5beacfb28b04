// SPDX-License-Identifier: Apache-2.0
#include "conformance/evaluate.h"

#include "base/rng.h"
#include "framework/fit_error.h"
#include "plugins/default_preemption/default_preemption.h"
#include "plugins/default_preemption/pick_candidate.h"
#include "plugins/default_preemption/preemption.h"
#include "scheduler/decide.h"

#include <algorithm>

namespace berth::conformance {

using api::Value;
using framework::Code;
using framework::ExtensionPoint;
using framework::kNoNode;
using framework::NodeId;
using framework::PodInfo;
using framework::Status;
using framework::Verdicts;
using runtime::Cycle;
using runtime::Profile;

namespace {

template <typename Strings>
Value StringList(const Strings& strings) {
  Value list = Value::List();
  for (const auto& text : strings) list.Append(Value::String(std::string(text)));
  return list;
}

Value VerdictOf(const Status& status, bool with_plugin) {
  Value verdict = Value::Map();
  if (with_plugin && !status.plugin().empty()) verdict.Set("plugin", Value::String(std::string(status.plugin())));
  verdict.Set("code", Value::String(std::string(CodeName(status.code()))));
  if (!status.reasons().empty()) verdict.Set("reasons", StringList(status.reasons()));
  return verdict;
}

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

// Names of the point's plugins that are marked in `skipped`.
std::vector<std::string> Skipped(const Profile& profile, const runtime::SkipSet& skipped,
                                 std::initializer_list<ExtensionPoint> points) {
  std::vector<std::string> names;
  for (const ExtensionPoint point : points) {
    for (const std::string_view name : profile.PluginsAt(point)) {
      if (skipped[profile.IndexOf(name)]) names.emplace_back(name);
    }
  }
  return Sorted(std::move(names));
}

Value PreFilterPart(const Profile& profile, const Cycle& cycle, const Status& status) {
  Value part = status.ok() ? VerdictOf(Status::Success(), false) : VerdictOf(status, true);
  // A plugin that calls the pod hopeless ends the step at once, and what others narrowed down is forgotten.
  const bool forgotten = status.code() == Code::UnschedulableAndUnresolvable && !status.plugin().empty();
  if (cycle.narrowed_to && !forgotten) {
    if (!cycle.narrowed_to->empty()) part.Set("nodeNames", StringList(*cycle.narrowed_to));
    part.Set("narrowed", Value::Bool(true));
  }
  const std::vector<std::string> skipped =
      Skipped(profile, cycle.state.Read(runtime::kSkippedFilters)->by_plugin, {ExtensionPoint::PreFilter});
  if (!skipped.empty()) part.Set("skipped", StringList(skipped));
  return part;
}

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

// A node that cannot be judged ends a cycle, but a golden case tells the verdict on every node: each is asked on its
// own.
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
  const auto plugins = profile.PluginsAt(ExtensionPoint::Filter);
  for (size_t i = 0; i < plugins.size(); ++i) {
    Verdicts verdicts;
    const Status status = profile.RunFilterAlone(i, cycle, pod, verdicts);
    if (status.is_skip()) continue;
    if (!status.ok()) {
      const framework::FilterPlugin& filter = *profile.FindPlugin(plugins[i])->filter;
      JudgeNodeByNode(profile.cluster(), verdicts,
                      [&](const framework::NodeInfo& node) { return filter.Filter(cycle.state, pod, node); });
    }
    Value rejections = Rejections(profile.cluster(), verdicts, false, std::nullopt);
    if (!rejections.members().empty()) each.Set(plugins[i], std::move(rejections));
  }
  return each;
}

void ScorePart(const Profile& profile, Cycle& cycle, const PodInfo& pod, Value& actual) {
  if (Status status = profile.RunPreScore(cycle, pod); !status.ok()) {
    actual.Set("error", Value::String("preScore: " + status.Message()));
    return;
  }
  std::vector<runtime::PluginScores> detail;
  if (Status status = profile.RunScore(cycle, pod, &detail); !status.ok()) {
    actual.Set("error", Value::String("score: " + status.Message()));
    return;
  }
  // Golden arrays follow the names, the cycle follows node numbers.
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

// Every node where preemption would help, and those among them that may be chosen.
void CandidatesPart(Profile& profile, const Cycle& cycle, const PodInfo& pod, Value& part) {
  if (profile.FindPlugin(plugins::kDefaultPreemption) == nullptr) return;
  if (!plugins::PreemptionForbidden(profile.cluster(), pod, cycle.verdicts).empty()) return;
  plugins::PreemptionSearch search =
      plugins::FindCandidates(profile, cycle.state, pod, cycle.verdicts, /*start=*/0, /*wanted=*/0);
  if (search.candidates.empty()) return;
  std::vector<std::string> nominated;
  for (const plugins::PreemptionCandidate* best : plugins::BestCandidates(search.candidates, profile.clock().Now())) {
    nominated.push_back(best->node_name);
  }
  part.Set("nominated", StringList(Sorted(std::move(nominated))));
  std::sort(search.candidates.begin(), search.candidates.end(),
            [](const auto& a, const auto& b) { return a.node_name < b.node_name; });
  Value list = Value::List();
  for (const plugins::PreemptionCandidate& candidate : search.candidates) {
    Value entry = Value::Map();
    entry.Set("node", Value::String(candidate.node_name));
    std::vector<std::string> pods;
    for (const auto& victim : candidate.victims) pods.push_back(victim->pod->meta.Key());
    entry.Set("pods", StringList(pods));
    entry.Set("pdbViolations", Value::Int(candidate.pdb_violations));
    list.Append(std::move(entry));
  }
  part.Set("candidates", std::move(list));
}

}  // namespace

Value Evaluate(World& world, const PodInfo& pod) {
  Profile& profile = world.profile();
  world.ResetNominations();
  Value actual = Value::Map();
  if (Status gate = profile.RunPreEnqueue(*pod); !gate.ok()) actual.Set("preEnqueue", VerdictOf(gate, true));

  Cycle cycle;
  cycle.Reset();
  const Status pre_filter = profile.RunPreFilter(cycle, pod);
  actual.Set("preFilter", PreFilterPart(profile, cycle, pre_filter));
  actual.Set("feasible", Value::List());
  if (pre_filter.ok()) {
    if (Status status = profile.RunFilter(cycle, pod); !status.ok()) {
      JudgeNodeByNode(profile.cluster(), cycle.verdicts, [&](const framework::NodeInfo& node) {
        return profile.RunFilterPluginsWithNominatedPods(cycle.state, pod, node);
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
  if (decision.outcome == scheduler::Decision::Outcome::Error) {
    actual.Set("error", Value::String(decision.message));
  } else if (decision.outcome == scheduler::Decision::Outcome::Unschedulable) {
    if (!decision.rejectors.empty()) actual.Set("rejectors", StringList(decision.rejectors));
    Value part = Value::Map();
    CandidatesPart(profile, whole, pod, part);
    if (!profile.PluginsAt(ExtensionPoint::PostFilter).empty()) {
      const framework::PostFilterResult result = profile.RunPostFilter(whole, pod);
      part.Set("code", Value::String(std::string(CodeName(result.status.code()))));
      const std::string message = result.status.Message();
      if (!message.empty()) {
        part.Set("message", Value::String(message));
        decision.message += " " + message;
      }
      actual.Set("postFilter", std::move(part));
    }
    actual.Set("failure", Value::String(decision.message));
  }
  return actual;
}

}  // namespace berth::conformance
