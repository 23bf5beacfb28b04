// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/convert/profile_editor.h"

#include <string>
#include <vector>

namespace berth::config {

// Renames plugins whose name has changed and drops those that were removed, with a note where one was in use. Names
// that no release ever had stay: they may be out-of-tree plugins.
void UpdatePluginNames(ProfileEditor& profile, std::vector<std::string>& notes);

// Turns NodeLabel's conditions into NodeAffinity's addedAffinity; returns false when they cannot be added there.
bool AddLabelConditions(ProfileEditor& profile, const api::Value& labels, bool present);

}  // namespace berth::config
