// SPDX-License-Identifier: Apache-2.0
#include "runtime/score_steps.h"

#include "runtime/plain_form.h"
#include "runtime/plugin_meter.h"
#include "runtime/score_kernels.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::runtime {

using framework::CycleState;
using framework::ExtensionPoint;
using framework::kMaxNodeScore;
using framework::kMinNodeScore;
using framework::NodeId;
using framework::PodInfo;
using framework::ScoreColumn;
using framework::Status;

namespace {

Status OutOfRange(const std::string& plugin, int64_t score) {
  return Status::FromError(
      fmt::format("applying score defaultWeights on Score plugins: plugin \"{}\" returns an invalid score {}, it "
                  "should in the range "
                  "of [{}, {}] after normalizing",
                  plugin, score, kMinNodeScore, kMaxNodeScore));
}

std::vector<int64_t> Packed(const ScoreColumn& scores) {
  std::vector<int64_t> packed;
  packed.reserve(scores.feasible().size());
  for (const NodeId node : scores.feasible()) packed.push_back(scores.Get(node));
  return packed;
}

}  // namespace

Status ScoreSteps::RunPreScore(Cycle& cycle, const PodInfo& pod) const {
  return plugins_.Metered("PreScore", [&] { return PreScore(cycle, pod); });
}

Status ScoreSteps::PreScore(Cycle& cycle, const PodInfo& pod) const {
  cycle.skipped_scores.assign(plugins_.size(), false);
  const PluginMeter meter = plugins_.MeterFor(cycle, "PreScore");
  for (const uint32_t index : plugins_.At(ExtensionPoint::PreScore)) {
    const ProfilePlugin& plugin = plugins_[index];
    Status status = meter.Run(plugin.name, plugin.EvaluationsAt(ExtensionPoint::PreScore), [&] {
      return plugin.instance.pre_score->PreScore(cycle.state, pod, *plugins_.services().cluster, cycle.feasible);
    });
    if (status.is_skip()) {
      cycle.skipped_scores[index] = true;
    } else if (!status.ok()) {
      return Status::FromError(fmt::format("running PreScore plugin \"{}\": {}", plugin.name, status.Message()));
    }
  }
  return Status::Success();
}

Status ScoreSteps::RunScore(Cycle& cycle, const PodInfo& pod, std::vector<PluginScores>* detail) const {
  return plugins_.Metered("Score", [&] { return Score(cycle, pod, detail); });
}

Status ScoreSteps::Score(Cycle& cycle, const PodInfo& pod, std::vector<PluginScores>* detail) const {
  const auto& scorers = plugins_.At(ExtensionPoint::Score);
  cycle.totals.assign(cycle.feasible.size(), 0);
  int64_t common = 0;  // what every node gets, added once at the end
  const PluginMeter meter = plugins_.MeterFor(cycle, "Score");
  const PluginMeter normalize_meter = plugins_.MeterFor(cycle, "ScoreExtensionNormalize");
  for (size_t i = 0; i < scorers.size(); ++i) {
    const ProfilePlugin& plugin = plugins_[scorers[i]];
    if (cycle.skipped_scores[scorers[i]]) continue;
    ScoreColumn& column = cycle.column;
    column.Reset(cluster().node_slots(), cycle.feasible);
    Status scored = meter.Run(plugin.name, plugin.EvaluationsAt(ExtensionPoint::Score),
                              [&] { return ScoreWith(plugin, cycle.state, pod, column); });
    if (!scored.ok()) return scored;
    std::vector<int64_t> raw;
    if (detail != nullptr) raw = Packed(column);

    if (plugin.instance.normalize_score != nullptr) {
      Status status = normalize_meter.Run(
          plugin.name, [&] { return plugin.instance.normalize_score->NormalizeScore(cycle.state, pod, column); });
      if (!status.ok()) {
        return Status::FromError(fmt::format("running Normalize on Score plugins: plugin \"{}\" failed with: {}",
                                             plugin.name, status.Message()));
      }
    }
    const int32_t weight = plugins_.score_weights()[i];
    if (column.is_uniform()) {
      const int64_t score = column.uniform_value();
      if (score < kMinNodeScore || score > kMaxNodeScore) return OutOfRange(plugin.name, score);
      common += weight * score;
    } else {
      const std::span<const int64_t> values = column.MutableValues();
      if (!AddWeighted(values, cycle.feasible, weight, cycle.totals)) {
        const auto wrong = std::find_if(cycle.feasible.begin(), cycle.feasible.end(), [&](NodeId node) {
          return values[node] < kMinNodeScore || values[node] > kMaxNodeScore;
        });
        return OutOfRange(plugin.name, values[*wrong]);
      }
    }
    if (detail != nullptr) {
      PluginScores& said = detail->emplace_back(PluginScores{plugin.name, weight, std::move(raw), Packed(column)});
      for (int64_t& score : said.weighted) score *= weight;
    }
  }
  for (int64_t& total : cycle.totals) total += common;
  return Status::Success();
}

Status ScoreSteps::ScoreWith(const ProfilePlugin& plugin, const CycleState& state, const PodInfo& pod,
                             ScoreColumn& scores) const {
  const auto failed = [&](std::string_view message) {
    return Status::FromError(fmt::format("running Score plugins: plugin \"{}\" failed with: {}", plugin.name, message));
  };
  if (plugin.instance.score_all != nullptr) {
    Status status = plugin.instance.score_all->ScoreAll(state, pod, cluster(), scores);
    return status.ok() ? status : failed(status.Message());
  }
  const Result<void> scored =
      ScoreNodes({state, pod, cluster(), plugins_.services().workers}, *plugin.instance.score, scores);
  return scored ? Status::Success() : failed(scored.error().message);
}

}  // namespace berth::runtime
