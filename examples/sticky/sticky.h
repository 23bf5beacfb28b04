// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace sticky {

inline constexpr std::string_view kSticky = "Sticky";
inline constexpr std::string_view kStickyJob = "StickyJob.example.com";

// Prefers the node where the pod of a StickyJob ran last: `status.lastNode`. It forbids nothing, so a node that no
// longer passes every filter leaves the choice to the other plugins, as does a StickyJob without status.
class Sticky final : public berth::PreScorePlugin, public berth::ScorePlugin {
 public:
  static constexpr std::array kReads = {kStickyJob};

  explicit Sticky(berth::Handle& handle) : handle_(handle) {}

  berth::Status PreScore(berth::CycleState& state, const berth::PodInfo& pod, berth::IndexedCluster& cluster,
                         std::span<const berth::NodeId> feasible) override;
  berth::Result<int64_t> Score(const berth::CycleState& state, const berth::PodInfo& pod,
                               const berth::NodeInfo& node) const override;

 private:
  const berth::Handle& handle_;
};

}  // namespace sticky
