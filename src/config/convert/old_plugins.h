// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/convert/profile_editor.h"

#include <string>
#include <vector>

namespace berth::config {

// Renames plugins that have another name now, and drops those that are gone, with a note where one was in use.
// Names that no release ever had stay: they may be plugins of one's own.
void UpdatePluginNames(ProfileEditor& profile, std::vector<std::string>& notes);

// NodeLabel's conditions on nodes as NodeAffinity's addedAffinity; false when they cannot be added there.
bool AddLabelConditions(ProfileEditor& profile, const api::Value& labels, bool present);

}  // namespace berth::config
