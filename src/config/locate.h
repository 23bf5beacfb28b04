// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <string>
#include <string_view>

namespace berth::config {

// The position of a path such as "profiles[0].pluginConfig[1].args" in a document, or of its nearest existing ancestor.
// Line 0 when not even its first field exists.
api::Position Locate(const api::Value& root, std::string_view path);

// The position where a profile enables the plugin, otherwise where it configures it; line 0 when it does neither.
api::Position LocatePlugin(const api::Value& root, size_t profile, std::string_view plugin);

}  // namespace berth::config
