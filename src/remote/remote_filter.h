// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "framework/extension_points/filter.h"
#include "framework/extension_points/pre_filter.h"
#include "framework/extension_points/verdicts_by_template.h"
#include "remote/fallback.h"
#include "remote/plugin_calls.h"
#include "remote/verdict_memory.h"

namespace berth::remote {

// PreFilter and Filter of a remote plugin.
class RemoteFilter final : public framework::PreFilterPlugin,
                           public framework::PreFilterExtensions,
                           public framework::FilterPlugin,
                           public framework::FilterAllPlugin,
                           public framework::VerdictsByTemplate {
 public:
  // `fallback` may be null. Everything lent outlives this.
  RemoteFilter(PluginCalls& calls, VerdictMemory& memory, Fallback* fallback)
      : calls_(calls), memory_(memory), fallback_(fallback) {}

  framework::PreFilterResult PreFilter(framework::CycleState& state, const framework::PodInfo& pod,
                                       framework::IndexedCluster& cluster) override;
  framework::Status AddPod(framework::CycleState& state, const framework::PodInfo& pod, const framework::PodInfo& added,
                           const framework::NodeInfo& node) const override;
  framework::Status RemovePod(framework::CycleState& state, const framework::PodInfo& pod,
                              const framework::PodInfo& removed, const framework::NodeInfo& node) const override;
  framework::Status Filter(const framework::CycleState& state, const framework::PodInfo& pod,
                           const framework::NodeInfo& node) const override;
  framework::Status FilterAll(const framework::CycleState& state, const framework::PodInfo& pod,
                              const framework::ClusterView& cluster, framework::Verdicts& verdicts) const override;

 private:
  Result<framework::PreFilterResult> AskPreFilter(const RemoteCycle& cycle, const framework::PodInfo& pod);
  Result<framework::Status> AskFilterAll(const RemoteCycle* cycle, const framework::PodInfo& pod,
                                         framework::Verdicts& verdicts) const;
  // Asks about nodes whose verdicts are not known any more, and takes the others from memory.
  Result<framework::Status> FilterByMemory(const RemoteCycle* cycle, const framework::PodInfo& pod,
                                           VerdictMemory::OfClass& known, framework::Verdicts& verdicts) const;
  Result<wire::Answer> AskAbout(const Bitset& nodes, const RemoteCycle* cycle, const framework::PodInfo& pod) const;
  Result<framework::Status> AskFilter(const RemoteCycle* cycle, const framework::PodInfo& pod,
                                      const framework::NodeInfo& node) const BERTH_EXCLUDES(mutex_);

  PluginCalls& calls_;
  VerdictMemory& memory_;
  Fallback* const fallback_;
  // Plain Filters may be asked on several threads.
  mutable Mutex mutex_;
};

}  // namespace berth::remote
