// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/score_column.h"
#include "framework/status.h"
#include "runtime/cycle.h"
#include "runtime/profile_plugins.h"

#include <vector>

namespace berth::runtime {

// PreScore, Score and NormalizeScore of a profile: how good each feasible node is.
//
// A step fills its part of `cycle`. A status that is not Success is an error that ends the cycle. Engine thread only;
// it shares plain Scores with its workers.
class ScoreSteps {
 public:
  // `plugins` outlives this.
  explicit ScoreSteps(const ProfilePlugins& plugins) : plugins_(plugins) {}

  framework::Status RunPreScore(Cycle& cycle, const framework::PodInfo& pod) const;
  // With `detail`, keeps what each plugin said: raw and weighted scores.
  framework::Status RunScore(Cycle& cycle, const framework::PodInfo& pod,
                             std::vector<PluginScores>* detail = nullptr) const;

 private:
  // What Run… do, not counting how long it takes.
  framework::Status PreScore(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status Score(Cycle& cycle, const framework::PodInfo& pod, std::vector<PluginScores>* detail) const;

  framework::Status ScoreWith(const ProfilePlugin& plugin, const framework::CycleState& state,
                              const framework::PodInfo& pod, framework::ScoreColumn& scores) const;
  const framework::ClusterView& cluster() const { return *plugins_.services().cluster; }

  const ProfilePlugins& plugins_;
};

}  // namespace berth::runtime
