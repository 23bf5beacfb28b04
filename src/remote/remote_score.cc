// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_score.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using framework::ClusterView;
using framework::Code;
using framework::CycleState;
using framework::kMaxNodeScore;
using framework::kMinNodeScore;
using framework::NodeId;
using framework::PodInfo;
using framework::ScoreColumn;
using framework::Status;

namespace {

using Numbers = google::protobuf::RepeatedField<int64_t>;

std::string ProblemOfNumbers(const Numbers& numbers, size_t nodes, bool must_be_in_range) {
  const auto count = static_cast<size_t>(numbers.size());
  if (count != nodes && count != 1) return fmt::format("{} scores of {} nodes", count, nodes);
  if (!must_be_in_range) return "";
  const auto wrong =
      std::ranges::find_if(numbers, [](int64_t score) { return score < kMinNodeScore || score > kMaxNodeScore; });
  if (wrong == numbers.end()) return "";
  return fmt::format("the score {} is not in [{}, {}]", *wrong, kMinNodeScore, kMaxNodeScore);
}

std::string ProblemOfScores(const wire::Answer& answer, const wire::ScoreCall& call, size_t nodes, bool normalizes) {
  if (!answer.has_score()) return "it answers another step";
  const wire::ScoreAnswer& score = answer.score();
  const std::optional<Status> pre_score = FromWire(score.pre_score());
  const std::optional<Status> status = FromWire(score.score());
  if (!pre_score || !status) return "unknown code";
  if (!pre_score->ok() || !status->ok() || !call.score()) return "";
  if (std::string problem = ProblemOfNumbers(score.scores(), nodes, !normalizes); !problem.empty()) return problem;
  return normalizes ? ProblemOfNumbers(score.normalized(), nodes, true) : "";
}

// Scores in the order of the feasible nodes, or one for all.
void Fill(const std::vector<int64_t>& numbers, ScoreColumn& scores) {
  if (numbers.size() == 1) return scores.SetAll(numbers.front());
  const std::span<int64_t> values = scores.FreshValues();
  for (size_t i = 0; i < numbers.size(); ++i) values[scores.feasible()[i]] = numbers[i];
}

}  // namespace

Status RemoteScore::PreScore(CycleState& state, const PodInfo& pod, framework::IndexedCluster& cluster,
                             std::span<const NodeId> feasible) {
  const RemoteCycle& cycle = calls_.CycleOf(state);
  if (fallback_ != nullptr) fallback_->SetCluster(cluster);
  const Result<Status> status = Ask(&cycle, pod, feasible, /*pre_score=*/true);
  return status ? *status : Failed(&cycle, pod, feasible, status.error(), /*pre_score=*/true);
}

Result<Status> RemoteScore::Ask(const RemoteCycle* cycle, const PodInfo& pod, std::span<const NodeId> feasible,
                                bool pre_score) const {
  said_.reset();
  const std::shared_ptr<const OpenCalls::Session> session = calls_.OpenSession();
  const bool normalizes = session != nullptr && session->welcome.normalizes();
  VerdictMemory::OfClass* known =
      normalizes ? nullptr : memory_.Of(pod, session.get(), calls_.handle().cluster().node_slots());
  if (known != nullptr) return AskByMemory(cycle, pod, feasible, pre_score, *known);
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, AskAbout(cycle, pod, feasible, pre_score, normalizes));
  const wire::ScoreAnswer& score = answer.score();
  SaidScores& said = said_.emplace();
  said.cycle = cycle == nullptr ? 0 : cycle->number();
  said.score = *FromWire(score.score());
  said.raw.assign(score.scores().begin(), score.scores().end());
  if (normalizes) said.normalized.assign(score.normalized().begin(), score.normalized().end());
  return *FromWire(score.pre_score());
}

Result<wire::Answer> RemoteScore::AskAbout(const RemoteCycle* cycle, const PodInfo& pod, std::span<const NodeId> nodes,
                                           bool pre_score, bool normalizes) const {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(cycle == nullptr ? 0 : cycle->number()));
  Bitset set(calls_.handle().cluster().node_slots());
  for (const NodeId node : nodes) set.Set(node);
  wire::ScoreCall& call = *draft.call.mutable_score();
  call.set_pod(calls_.IdOf(pod));
  call.set_pre_score(pre_score);
  call.set_score(enabled_.score);
  *call.mutable_nodes() = ToWire(set);
  return calls_.Ask(pre_score ? "PreScore" : "Score", draft,
                    [&](const wire::Answer& given) { return ProblemOfScores(given, call, nodes.size(), normalizes); });
}

Result<Status> RemoteScore::AskByMemory(const RemoteCycle* cycle, const PodInfo& pod, std::span<const NodeId> feasible,
                                        bool pre_score, VerdictMemory::OfClass& known) const {
  if (known.skips_score) return Status::Skip();
  const std::span<const uint64_t> stamps = memory_.Stamps(calls_.handle().cluster());
  std::vector<NodeId> unknown;
  for (const NodeId node : feasible) {
    if (known.scored[node] != stamps[node]) unknown.push_back(node);
  }
  SaidScores said;
  said.cycle = cycle == nullptr ? 0 : cycle->number();
  if (!unknown.empty()) {
    BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, AskAbout(cycle, pod, unknown, pre_score, false));
    const wire::ScoreAnswer& score = answer.score();
    known.skips_score = score.pre_score().code() == wire::SKIP;
    said.score = *FromWire(score.score());
    if (score.pre_score().code() != wire::SUCCESS || !said.score.ok() || !enabled_.score) {
      said_ = std::move(said);
      return *FromWire(score.pre_score());
    }
    for (size_t i = 0; i < unknown.size(); ++i) {
      known.scored[unknown[i]] = stamps[unknown[i]];
      known.scores[unknown[i]] = score.scores(score.scores_size() == 1 ? 0 : static_cast<int>(i));
    }
  }
  said.raw.reserve(feasible.size());
  for (const NodeId node : feasible) said.raw.push_back(known.scores[node]);
  said_ = std::move(said);
  return Status::Success();
}

Status RemoteScore::Failed(const RemoteCycle* cycle, const PodInfo& pod, std::span<const NodeId> feasible,
                           const Error& error, bool pre_score) const {
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return pre_score ? Status::Skip() : Status::Success();
    case FailurePolicy::Fallback: {
      SaidScores& said = said_.emplace();
      said.cycle = cycle == nullptr ? 0 : cycle->number();
      said.by_fallback = true;
      return cycle == nullptr ? Status::Success() : fallback_->PreScore(*cycle, pod, feasible);
    }
  }
  return Status::FromError(error);
}

Status RemoteScore::ScoreAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                             ScoreColumn& scores) const {
  const RemoteCycle* cycle = calls_.FindCycle(state);
  const bool is_known = enabled_.pre_score && said_ && cycle != nullptr && said_->cycle == cycle->number();
  if (!is_known) {
    const Result<Status> status = Ask(cycle, pod, scores.feasible(), /*pre_score=*/false);
    if (!status) {
      if (Status failed = Failed(cycle, pod, scores.feasible(), status.error(), false); !failed.ok()) return failed;
    }
  }
  if (!said_) return Status::Success();  // ignored: zero everywhere
  if (said_->by_fallback) {
    const RemoteCycle none;
    return fallback_->ScoreAll(cycle == nullptr ? none : *cycle, pod, cluster, scores);
  }
  if (!said_->score.ok()) return said_->score;
  Fill(said_->raw, scores);
  return Status::Success();
}

Result<int64_t> RemoteScore::Score(const CycleState& /*state*/, const PodInfo& /*pod*/,
                                   const framework::NodeInfo& /*node*/) const {
  return InvalidError("a remote plugin scores all nodes at once");
}

Status RemoteScore::NormalizeScore(const CycleState& state, const PodInfo& pod, ScoreColumn& scores) const {
  if (!said_) return Status::Success();
  if (said_->by_fallback) {
    const framework::NormalizeScorePlugin* normalize = fallback_->instance().normalize_score;
    const RemoteCycle* cycle = calls_.FindCycle(state);
    if (normalize == nullptr || cycle == nullptr) return Status::Success();
    return normalize->NormalizeScore(fallback_->StateOf(*cycle).state, pod, scores);
  }
  if (!said_->normalized.empty()) Fill(said_->normalized, scores);
  return Status::Success();
}

}  // namespace berth::remote
