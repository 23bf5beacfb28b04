// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/pod_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::framework {

// A node where the pod would fit if these pods went.
struct PreemptionProposal {
  std::string node;
  std::vector<PodInfoPtr> victims;
  int64_t budget_violations = 0;
};

// What others, scheduler extenders for one, say about a preemption before it begins. Engine thread only.
class PreemptionReview {
 public:
  using Outcome = Result<std::vector<PreemptionProposal>>;

  virtual ~PreemptionReview() = default;
  // The proposals that remain, with the victims they then have. Nothing: others are being asked; PostFilter returns
  // Wait, and the pod's cycle is run again when they have answered.
  virtual std::optional<Outcome> Review(const PodInfo& pod, std::vector<PreemptionProposal> proposals) = 0;
};

}  // namespace berth::framework
