// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/convert/profile_editor.h"

#include <string>
#include <vector>

namespace berth::config {

// Until v1beta1, how full nodes should be was a matter of three score plugins (least, most, or a curve); now it is an
// argument of one, NodeResourcesFit. Keeps the one that counted most, with its weight. `by_default` is the plugin that
// ran without being named: "NodeResourcesLeastAllocated", or "…Most…" for the autoscaler's provider; "" for none.
void FoldResourceScorers(ProfileEditor& profile, std::string_view by_default, std::vector<std::string>& notes);

// Gives the score plugins whose default weight grew with v1beta3 the weight they had before.
void KeepOldWeights(ProfileEditor& profile);

}  // namespace berth::config
