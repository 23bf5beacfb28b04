// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/plugin_bench.h"

#include "base/check.h"
#include "framework/node_scan.h"
#include "runtime/cycle.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace berth::plugin_check {

using framework::CycleState;
using framework::ExtensionPoint;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::Status;
using std::chrono::steady_clock;

namespace {

class LeastPlugin final : public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    return node.allowed_pods >= 0 ? Status::Success() : Status::Unresolvable("node(s) cannot exist");
  }
  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    return node.allowed_pods & 63;
  }
};

// Keeps the compiler from leaving out what nobody looks at.
template <typename T>
void Use(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace

framework::PluginEntry LeastPluginEntry() { return framework::Entry<LeastPlugin>(kLeastPlugin); }

// A pod and a cycle that has come to Score.
struct PluginBench::Question {
  PodInfoPtr pod;
  std::unique_ptr<runtime::Cycle> cycle;
};

PluginBench::PluginBench(const runtime::Profile& profile, std::string_view plugin, const BenchOptions& options)
    : profile_(profile), plugin_(*profile.plugins().Find(plugin)), options_(options) {}

Result<std::vector<Cost>> PluginBench::Measure(std::span<const PodInfoPtr> pods) const {
  BERTH_ASSIGN_OR_RETURN(std::vector<Question> questions, Questions(pods));
  std::vector<Cost> costs;
  const runtime::ProfilePlugins& plugins = profile_.plugins();
  if (plugins.HasAnyAt(ExtensionPoint::PreFilter)) {
    const double time = Time(questions, [&](Question& question) {
      CycleState state;
      Use(plugin_.pre_filter->PreFilter(state, *question.pod, profile_.indexed_cluster()));
    });
    costs.push_back({"PreFilter", "", "a loop", time, 0});
  }
  if (plugins.HasAnyAt(ExtensionPoint::Filter)) MeasureFilter(questions, costs);
  if (plugins.HasAnyAt(ExtensionPoint::PreScore)) {
    const double time = Time(questions, [&](Question& question) {
      Use(plugin_.pre_score->PreScore(question.cycle->state, *question.pod, profile_.indexed_cluster(),
                                      question.cycle->feasible));
    });
    costs.push_back({"PreScore", "", "a loop", time, 0});
  }
  if (plugins.HasAnyAt(ExtensionPoint::Score)) MeasureScore(questions, costs);
  return costs;
}

Result<std::vector<PluginBench::Question>> PluginBench::Questions(std::span<const PodInfoPtr> pods) const {
  std::vector<Question> questions;
  for (const PodInfoPtr& pod : pods) {
    Question question{pod, std::make_unique<runtime::Cycle>()};
    runtime::Cycle& cycle = *question.cycle;
    cycle.Reset();
    Status status = profile_.filtering().RunPreFilter(cycle, *pod);
    if (status.ok()) status = profile_.filtering().RunFilter(cycle, *pod);
    if (status.ok() && !cycle.feasible.empty()) status = profile_.scoring().RunPreScore(cycle, *pod);
    if (!status.ok() && !status.is_rejected()) return InvalidError(status.Message());
    if (status.ok() && !cycle.feasible.empty()) questions.push_back(std::move(question));
  }
  if (questions.empty()) {
    return NotFoundError(fmt::format("none of {} pods may go anywhere: there is nothing to measure", pods.size()));
  }
  return questions;
}

template <typename Ask>
double PluginBench::Time(std::vector<Question>& questions, const Ask& ask) const {
  double best = std::numeric_limits<double>::infinity();
  for (size_t round = 0; round < options_.rounds; ++round) {
    size_t calls = 0;
    const steady_clock::time_point begin = steady_clock::now();
    steady_clock::time_point now = begin;
    do {
      for (Question& question : questions) ask(question);
      calls += questions.size();
      now = steady_clock::now();
    } while (now - begin < options_.round);
    best = std::min(best, std::chrono::duration<double, std::nano>(now - begin).count() / static_cast<double>(calls));
  }
  return best;
}

void PluginBench::MeasureFilter(std::vector<Question>& questions, std::vector<Cost>& costs) const {
  const framework::ClusterView& cluster = profile_.cluster();
  const auto nodes = static_cast<double>(cluster.node_count());
  std::vector<NodeId> ids;
  framework::ListNodes(cluster.live_nodes(), ids);
  const double direct = Time(questions, [&](Question& question) {
    for (const NodeId id : ids) Use(plugin_.filter->Filter(question.cycle->state, *question.pod, cluster.node(id)));
  });
  costs.push_back({"Filter", "plain", "a loop", direct, direct / nodes});
  framework::Verdicts verdicts;
  const bool columnar = plugin_.filter_all != nullptr;
  const double by_runtime = Time(questions, [&](Question& question) {
    Use(profile_.filtering().RunFilterAlone(0, *question.cycle, *question.pod, verdicts));
  });
  costs.push_back({"Filter", columnar ? "columnar" : "plain", "runtime", by_runtime, by_runtime / nodes});
}

void PluginBench::MeasureScore(std::vector<Question>& questions, std::vector<Cost>& costs) const {
  const framework::ClusterView& cluster = profile_.cluster();
  size_t feasible = 0;
  for (const Question& question : questions) feasible += question.cycle->feasible.size();
  const double nodes = static_cast<double>(feasible) / static_cast<double>(questions.size());
  const double direct = Time(questions, [&](Question& question) {
    for (const NodeId id : question.cycle->feasible) {
      Use(plugin_.score->Score(question.cycle->state, *question.pod, cluster.node(id)));
    }
  });
  costs.push_back({"Score", "plain", "a loop", direct, direct / nodes});
  const bool columnar = plugin_.score_all != nullptr;
  const double by_runtime =
      Time(questions, [&](Question& question) { Use(profile_.scoring().RunScore(*question.cycle, *question.pod)); });
  costs.push_back({"Score", columnar ? "columnar" : "plain", "runtime", by_runtime, by_runtime / nodes});
}

}  // namespace berth::plugin_check
