// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "base/recency_list.h"
#include "framework/cluster_view.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "remote/open_calls.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace berth::remote {

// What a plugin has said of pods of one class, for plugins whose verdicts follow from the class and the node. It holds
// as long as a node's stamp is what it was. Engine thread only.
class VerdictMemory {
 public:
  // The number of a verdict in `reasons`; kPass is none of them.
  using Verdict = uint32_t;
  static constexpr Verdict kPass = 0;

  struct OfClass {
    framework::PodClassPtr pod_class;  // kept alive, so that no other is taken for it
    std::optional<framework::Status> pre_filter;
    bool skips_score = false;
    // By NodeId: the stamp when it was asked, 0 for never, and what it said.
    std::vector<uint64_t> filtered;
    std::vector<Verdict> verdicts;
    std::vector<framework::Status> reasons = {framework::Status::Success()};
    std::vector<uint64_t> scored;
    std::vector<int64_t> scores;

    // Makes room for nodes below `slots`.
    void Grow(size_t slots);
    Verdict NumberOf(const framework::Status& status);
  };

  // `most_classes`: of more, those that were not asked for the longest time are forgotten.
  explicit VerdictMemory(size_t most_classes = 128) : most_classes_(most_classes) {}

  // What is known of the pod's class; null when nothing may be remembered. `session` is the open one, or null; a new
  // one knows nothing.
  OfClass* Of(const framework::PodInfo& pod, const OpenCalls::Session* session, size_t slots);
  // By NodeId: whatever changes when verdicts may. Of vacant numbers it means nothing.
  std::span<const uint64_t> Stamps(const framework::ClusterView& cluster);

 private:
  using Slot = uint32_t;

  const size_t most_classes_;
  uint64_t session_ = 0;
  wire::Dependence dependence_ = wire::ANYTHING;
  std::vector<OfClass> classes_;  // by slot
  std::unordered_map<const framework::PodClass*, Slot> slots_;
  RecencyList used_;

  // For plugins that look at the node's own object: its stamps.
  std::vector<uint64_t> seen_;       // row_version() when it was looked at
  std::vector<api::NodePtr> nodes_;  // as they were then
  std::vector<uint64_t> stamps_;
  uint64_t last_stamp_ = 0;
};

}  // namespace berth::remote
