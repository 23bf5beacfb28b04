// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extension_points/pre_score.h"
#include "framework/extension_points/score.h"
#include "remote/fallback.h"
#include "remote/plugin_calls.h"
#include "remote/verdict_memory.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace berth::remote {

// What a plugin said in one cycle.
struct SaidScores {
  uint64_t cycle = 0;
  bool by_fallback = false;
  framework::Status score;
  std::vector<int64_t> raw;
  std::vector<int64_t> normalized;  // empty when the scores are what counts
};

// PreScore, Score and NormalizeScore of a remote plugin: one call, made at the first of them that is enabled.
class RemoteScore final : public framework::PreScorePlugin,
                          public framework::ScorePlugin,
                          public framework::ScoreAllPlugin,
                          public framework::NormalizeScorePlugin {
 public:
  struct Enabled {
    bool pre_score = false;
    bool score = false;
  };
  // `fallback` may be null. Everything lent outlives this.
  RemoteScore(PluginCalls& calls, VerdictMemory& memory, Fallback* fallback, Enabled enabled)
      : calls_(calls), memory_(memory), fallback_(fallback), enabled_(enabled) {}

  framework::Status PreScore(framework::CycleState& state, const framework::PodInfo& pod,
                             framework::IndexedCluster& cluster, std::span<const framework::NodeId> feasible) override;
  Result<int64_t> Score(const framework::CycleState& state, const framework::PodInfo& pod,
                        const framework::NodeInfo& node) const override;
  framework::Status ScoreAll(const framework::CycleState& state, const framework::PodInfo& pod,
                             const framework::ClusterView& cluster, framework::ScoreColumn& scores) const override;
  framework::Status NormalizeScore(const framework::CycleState& state, const framework::PodInfo& pod,
                                   framework::ScoreColumn& scores) const override;

 private:
  Result<framework::Status> Ask(const RemoteCycle* cycle, const framework::PodInfo& pod,
                                std::span<const framework::NodeId> feasible, bool pre_score) const;
  framework::Status Failed(const RemoteCycle* cycle, const framework::PodInfo& pod,
                           std::span<const framework::NodeId> feasible, const Error& error, bool pre_score) const;

  // The scores that the plugin gave when it was asked for each node, where it gives none that hang together.
  Result<framework::Status> AskByMemory(const RemoteCycle* cycle, const framework::PodInfo& pod,
                                        std::span<const framework::NodeId> feasible, bool pre_score,
                                        VerdictMemory::OfClass& known) const;
  Result<wire::Answer> AskAbout(const RemoteCycle* cycle, const framework::PodInfo& pod,
                                std::span<const framework::NodeId> nodes, bool pre_score, bool normalizes) const;

  PluginCalls& calls_;
  VerdictMemory& memory_;
  Fallback* const fallback_;
  const Enabled enabled_;
  // Score follows on PreScore at once, so there is only ever one.
  mutable std::optional<SaidScores> said_;
};

}  // namespace berth::remote
