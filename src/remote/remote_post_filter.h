// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extension_points/post_filter.h"
#include "remote/fallback.h"
#include "remote/plugin_calls.h"

namespace berth::remote {

// PostFilter of a remote plugin. Meanwhile it may ask how nodes would be judged with some pods more or less.
class RemotePostFilter final : public framework::PostFilterPlugin {
 public:
  // `fallback` may be null. Both outlive this.
  RemotePostFilter(PluginCalls& calls, Fallback* fallback) : calls_(calls), fallback_(fallback) {}

  framework::PostFilterResult PostFilter(framework::CycleState& state, const framework::PodInfo& pod,
                                         framework::IndexedCluster& cluster,
                                         const framework::Verdicts& verdicts) override;

 private:
  Result<framework::PostFilterResult> Ask(framework::CycleState& state, const framework::PodInfo& pod,
                                          const framework::Verdicts& verdicts);
  framework::PostFilterResult Take(const wire::PostFilterAnswer& answer, const framework::PodInfo& pod);

  PluginCalls& calls_;
  Fallback* const fallback_;
};

}  // namespace berth::remote
