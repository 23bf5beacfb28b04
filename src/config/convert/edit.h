// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <string>
#include <string_view>

// Edits documents in place. Values of an unexpected kind are left alone: decoding the result reports them.
namespace berth::config {

api::Value* FindIn(api::Value& map, std::string_view key);  // null when absent
api::Value Take(api::Value& map, std::string_view key);     // removes it from the map; null when absent
// The map or list at that key, created when absent or null; a null pointer when the value is of another kind.
api::Value* MapIn(api::Value& map, std::string_view key);
api::Value* ListIn(api::Value& map, std::string_view key);

std::string NameOf(const api::Value& entry);  // its "name" if that is a string, otherwise empty
std::string TextIn(const api::Value& map, std::string_view key);
api::Value NamedEntry(std::string_view name, int64_t weight = 0);  // no weight when 0

// For notes: "" for null, the text of a scalar, "…" for anything else.
std::string Shown(const api::Value& value);

}  // namespace berth::config
