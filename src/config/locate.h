// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <string>
#include <string_view>

namespace berth::config {

// Where "profiles[0].pluginConfig[1].args" stands in a document; where its nearest given ancestor stands if it was
// left out. Nothing (line 0) when not even its first field is given.
api::Position Locate(const api::Value& root, std::string_view path);

// Where a profile enables that plugin, else where it configures it; nothing when it does neither.
api::Position LocatePlugin(const api::Value& root, size_t profile, std::string_view plugin);

}  // namespace berth::config
