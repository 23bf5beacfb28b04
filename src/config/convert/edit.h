// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <string>
#include <string_view>

// Changing documents in place. What is not of the expected kind is left alone: reading the result will name it.
namespace berth::config {

api::Value* FindIn(api::Value& map, std::string_view key);  // null when there is none
api::Value Take(api::Value& map, std::string_view key);     // out of the map; null when there is none
// The map or list at that key, made when absent or null; a null pointer when something else stands there.
api::Value* MapIn(api::Value& map, std::string_view key);
api::Value* ListIn(api::Value& map, std::string_view key);

std::string NameOf(const api::Value& entry);  // its "name" if that is a string, else empty
std::string TextIn(const api::Value& map, std::string_view key);
api::Value NamedEntry(std::string_view name, int64_t weight = 0);  // no weight when 0

// "" for a null, the text for a scalar, "…" for the rest: for notes.
std::string Shown(const api::Value& value);

}  // namespace berth::config
