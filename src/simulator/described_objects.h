// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/manifest.h"
#include "base/clock.h"
#include "config/profile_plan.h"

#include <span>
#include <string>
#include <vector>

namespace berth::simulator {

// A pod that is ignored, and why.
struct IgnoredPod {
  std::string pod;
  std::string reason;
};

// The objects of files, as an API server would have admitted them: every pod has a unique uid and a priority, also in
// its document.
struct DescribedObjects {
  // The profiles decide which pods are theirs to schedule.
  static DescribedObjects From(api::Manifests manifests, std::span<const config::ProfilePlan> profiles);

  Timestamp latest;                    // the latest time any object mentions
  std::vector<api::Manifest> nodes;    // by name
  std::vector<api::Manifest> others;   // neither nodes nor pods, in the order of the files
  std::vector<api::Manifest> running;  // pods with a node, by namespace and name, as the API lists them
  std::vector<api::Manifest> pending;  // pods without one that a profile is responsible for, in the order of the files
  std::vector<IgnoredPod> ignored;
  std::vector<std::string> warnings;  // about the objects, one sentence each
};

// Of `running` and `pending`.
inline const api::PodPtr& PodOf(const api::Manifest& manifest) { return std::get<api::PodPtr>(manifest.object); }

}  // namespace berth::simulator
