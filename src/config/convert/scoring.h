// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/convert/profile_editor.h"

#include <string>
#include <vector>

namespace berth::config {

// Until v1beta1, three score plugins rated resource usage (least allocated, most allocated, requested to capacity
// ratio); now it is the scoringStrategy of NodeResourcesFit. Keeps the plugin with the largest weight. `by_default` is
// the one that runs without being named: "NodeResourcesLeastAllocated", or "…Most…" for the autoscaler's provider; ""
// for none.
void FoldResourceScorers(ProfileEditor& profile, std::string_view by_default, std::vector<std::string>& notes);

// Gives score plugins whose default weight was raised in v1beta3 their earlier weight.
void KeepOldWeights(ProfileEditor& profile);

}  // namespace berth::config
