// SPDX-License-Identifier: Apache-2.0
#include "conformance/reference_evaluate.h"

#include "conformance/evaluate_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::conformance {
namespace {

using api::Value;
using framework::Code;
using framework::ExtensionPoint;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::Status;
using runtime::Cycle;
using runtime::Profile;

class NaiveJudge {
 public:
  NaiveJudge(Profile& profile, const PodInfo& pod) : profile_(profile), pod_(pod) {
    profile.cluster().live_nodes().ForEach([&](size_t slot) {
      const NodeInfo& node = profile.cluster().node(static_cast<NodeId>(slot));
      nodes_[node.name()] = &node;
    });
  }

  Value Judge() {
    if (Status gate = Gate(); !gate.ok()) actual_.Set("preEnqueue", VerdictOf(gate, true));
    cycle_.Reset();
    pre_filter_ = profile_.filtering().RunPreFilter(cycle_, pod_);
    actual_.Set("preFilter", PreFilterPart(profile_, cycle_, pre_filter_));
    actual_.Set("feasible", Value::List());
    if (pre_filter_.ok()) {
      Filter();
      Score();
    }
    Conclude();
    return std::move(actual_);
  }

 private:
  Status Gate() const {
    for (const std::string_view name : profile_.plugins().NamesAt(ExtensionPoint::PreEnqueue)) {
      Status status = profile_.plugins().Find(name)->pre_enqueue->PreEnqueue(*pod_);
      if (!status.ok()) return status.By(name);
    }
    return {};
  }

  bool IsNarrowedOut(const std::string& node) const {
    return cycle_.narrowed_to && !cycle_.narrowed_to->contains(node);
  }

  void Filter() {
    for (const auto& [name, node] : nodes_) {
      if (IsNarrowedOut(name)) {
        verdicts_[name] = Status::Unresolvable(
            fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(cycle_.narrowing_plugins, " ")));
        continue;
      }
      Status status = profile_.filtering().RunFilterPluginsWithNominatedPods(cycle_.state, pod_, *node);
      if (status.ok()) {
        feasible_.push_back(name);
      } else {
        if (!status.is_rejected() && error_.empty()) error_ = status.Message();
        verdicts_[name] = std::move(status);
      }
    }
    Value rejections = Value::Map();
    for (const auto& [name, status] : verdicts_) {
      if (!IsNarrowedOut(name)) rejections.Set(name, VerdictOf(status, true));
    }
    if (!rejections.members().empty()) actual_.Set("filter", std::move(rejections));
    FilterEach();
    actual_.Set("feasible", StringList(feasible_));
  }

  void FilterEach() {
    Value each = Value::Map();
    const runtime::SkipSet& skipped = cycle_.state.Read(runtime::kSkippedFilters)->by_plugin;
    for (const std::string_view plugin : profile_.plugins().NamesAt(ExtensionPoint::Filter)) {
      if (skipped[profile_.plugins().IndexOf(plugin)]) continue;
      Value rejections = Value::Map();
      for (const auto& [name, node] : nodes_) {
        const Status status = profile_.plugins().Find(plugin)->filter->Filter(cycle_.state, pod_, *node);
        if (!status.ok()) rejections.Set(name, VerdictOf(status, false));
      }
      if (!rejections.members().empty()) each.Set(plugin, std::move(rejections));
    }
    if (!each.members().empty()) actual_.Set("filterEach", std::move(each));
  }

  void Score() {
    if (feasible_.size() < 2) return;
    for (const std::string& name : feasible_) cycle_.feasible.push_back(nodes_[name]->id);
    std::ranges::sort(cycle_.feasible);
    std::set<std::string, std::less<>> skipped;
    for (const std::string_view plugin : profile_.plugins().NamesAt(ExtensionPoint::PreScore)) {
      const Status status = profile_.plugins().Find(plugin)->pre_score->PreScore(
          cycle_.state, pod_, profile_.indexed_cluster(), cycle_.feasible);
      if (status.is_skip()) {
        skipped.emplace(plugin);
      } else if (!status.ok()) {
        FailScoring("preScore: ", fmt::format("running PreScore plugin \"{}\": {}", plugin, status.Message()));
        return;
      }
    }
    Value scores = Value::Map();
    totals_.assign(feasible_.size(), 0);
    for (const config::PlannedPlugin& planned : profile_.plan().at(ExtensionPoint::Score)) {
      if (skipped.contains(planned.name)) continue;
      Value entry = Value::Map();
      if (!ScoreWith(planned.name, planned.weight, entry)) return;
      scores.Set(planned.name, std::move(entry));
    }
    actual_.Set("scores", std::move(scores));
    if (!skipped.empty()) actual_.Set("scoreSkipped", StringList(skipped));
    actual_.Set("totals", IntList(totals_));
    actual_.Set("best", StringList(Best()));
  }

  bool ScoreWith(const std::string& plugin, int64_t weight, Value& entry) {
    const framework::PluginInstance& instance = *profile_.plugins().Find(plugin);
    framework::ScoreColumn column;
    column.Reset(profile_.cluster().node_slots(), cycle_.feasible);
    std::vector<int64_t> raw;
    for (const std::string& name : feasible_) {
      const Result<int64_t> score = instance.score->Score(cycle_.state, pod_, *nodes_[name]);
      if (!score) {
        return FailScoring("score: ", fmt::format("running Score plugins: plugin \"{}\" failed with: {}", plugin,
                                                  score.error().message));
      }
      raw.push_back(*score);
      column.MutableValues()[nodes_[name]->id] = *score;
    }
    if (instance.normalize_score != nullptr) {
      if (const Status status = instance.normalize_score->NormalizeScore(cycle_.state, pod_, column); !status.ok()) {
        return FailScoring("score: ", fmt::format("running Normalize on Score plugins: plugin \"{}\" failed with: {}",
                                                  plugin, status.Message()));
      }
    }
    std::vector<int64_t> final;
    for (size_t i = 0; i < feasible_.size(); ++i) {
      const int64_t score = column.Get(nodes_[feasible_[i]]->id);
      if (score < 0 || score > 100) return FailScoring("score: ", "out of range");
      final.push_back(score * weight);
      totals_[i] += final.back();
    }
    entry.Set("weight", Value::Int(weight));
    entry.Set("raw", IntList(raw));
    entry.Set("final", IntList(final));
    return true;
  }

  bool FailScoring(std::string_view step, const std::string& message) {
    score_error_ = message;
    actual_.Set("error", Value::String(std::string(step) + message));
    return false;
  }

  std::vector<std::string> Best() const {
    std::vector<std::string> best;
    const int64_t highest = *std::ranges::max_element(totals_);
    for (size_t i = 0; i < feasible_.size(); ++i) {
      if (totals_[i] == highest) best.push_back(feasible_[i]);
    }
    return best;
  }

  // A nominated node is chosen if it fits, regardless of other nodes.
  std::vector<std::string> Choices() const {
    const std::string& nominated = pod_->status->nominated_node_name;
    if (std::ranges::find(feasible_, nominated) != feasible_.end()) return {nominated};
    return feasible_.size() == 1 ? feasible_ : Best();
  }

  void Conclude() {
    Value decided = Value::Map();
    const std::string& nominated = pod_->status->nominated_node_name;
    const bool fits_nominated = std::ranges::find(feasible_, nominated) != feasible_.end();
    if (nodes_.empty()) {
      decided.Set("outcome", Value::String("Unschedulable"));
      actual_.Set("failure", Value::String("no nodes available to schedule pods"));
      actual_.Set("decided", std::move(decided));
      return;
    }
    if (!pre_filter_.ok() && !pre_filter_.is_rejected()) error_ = pre_filter_.Message();
    if (error_.empty() && feasible_.size() > 1) error_ = score_error_;
    if (!error_.empty() && !fits_nominated) {
      actual_.Set("error", Value::String(error_));
      decided.Set("outcome", Value::String("Error"));
    } else if (!feasible_.empty()) {
      decided.Set("outcome", Value::String("Placed"));
      decided.Set("choices", StringList(Choices()));
    } else {
      decided.Set("outcome", Value::String("Unschedulable"));
      Reject();
    }
    actual_.Set("decided", std::move(decided));
  }

  void Reject() {
    std::set<std::string> rejectors = cycle_.narrowing_plugins;
    std::string message;
    if (!pre_filter_.ok()) {
      if (!pre_filter_.plugin().empty()) rejectors.emplace(pre_filter_.plugin());
      message = pre_filter_.Message();
      for (const auto& [name, node] : nodes_) verdicts_[name] = pre_filter_;
    } else {
      message = CountedReasons();
      for (const auto& [name, status] : verdicts_) {
        if (!status.plugin().empty()) rejectors.emplace(status.plugin());
      }
    }
    if (!rejectors.empty()) actual_.Set("rejectors", StringList(rejectors));
    std::string failure = fmt::format("0/{} nodes are available: {}.", nodes_.size(), message);
    cycle_.verdicts.Reset(profile_.cluster().live_nodes());
    cycle_.verdicts.set_plugin({});
    for (const auto& [name, status] : verdicts_) cycle_.verdicts.Replace(nodes_[name]->id, status);
    PostFilterPart(profile_, cycle_, pod_, actual_, failure);
    actual_.Set("failure", Value::String(failure));
  }

  std::string CountedReasons() const {
    std::map<std::string, size_t> counts;
    for (const auto& [name, status] : verdicts_) {
      for (const std::string& reason : status.reasons()) ++counts[reason];
    }
    std::set<std::string> parts;
    for (const auto& [reason, count] : counts) parts.insert(fmt::format("{} {}", count, reason));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  Profile& profile_;
  const PodInfo& pod_;
  std::map<std::string, const NodeInfo*> nodes_;
  Cycle cycle_;
  Status pre_filter_;
  std::map<std::string, Status> verdicts_;  // of nodes that do not fit
  std::vector<std::string> feasible_;       // sorted
  std::vector<int64_t> totals_;             // parallel to feasible_
  std::string error_;
  std::string score_error_;
  Value actual_ = Value::Map();
};

}  // namespace

Value EvaluateNaively(Profile& profile, const PodInfo& pod) { return NaiveJudge(profile, pod).Judge(); }

}  // namespace berth::conformance
