// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/manifest.h"
#include "base/clock.h"
#include "config/profile_plan.h"

#include <span>
#include <string>
#include <vector>

namespace berth::simulator {

// A pod that takes no part, and why.
struct IgnoredPod {
  std::string pod;
  std::string reason;
};

// The objects of files, as an API server would have taken them: every pod has a uid of its own and a priority, in its
// document, too.
struct DescribedObjects {
  // The profiles tell which pods are theirs to schedule.
  static DescribedObjects From(api::Manifests manifests, std::span<const config::ProfilePlan> profiles);

  Timestamp latest;                    // the latest moment any object mentions
  std::vector<api::Manifest> nodes;    // by name
  std::vector<api::Manifest> others;   // neither nodes nor pods, in the order of the files
  std::vector<api::Manifest> running;  // pods with a node, by namespace and name, as an API list brings them
  std::vector<api::Manifest> pending;  // pods without one that a profile is responsible for, in the order of the files
  std::vector<IgnoredPod> ignored;
  std::vector<std::string> warnings;  // what is odd about the objects, one sentence each
};

// Of `running` and `pending`.
inline const api::PodPtr& PodOf(const api::Manifest& manifest) { return std::get<api::PodPtr>(manifest.object); }

}  // namespace berth::simulator
