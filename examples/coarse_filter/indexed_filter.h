// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.h>

#include <string_view>
#include <vector>

namespace coarse {

inline constexpr std::string_view kIndexedFilter = "IndexedFilter";

// What CoarseFilter is compared with: the same by the index of labels that comes with Berth, and exactly.
class IndexedFilter final : public berth::PreFilterPlugin,
                            public berth::EnqueueExtensions,
                            public berth::VerdictsByTemplate {
 public:
  berth::PreFilterResult PreFilter(berth::CycleState& state, const berth::PodInfo& pod,
                                   berth::IndexedCluster& cluster) override;
  std::vector<berth::ClusterEventWithHint> EventsToRegister() const override;
};

}  // namespace coarse
