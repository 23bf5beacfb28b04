// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Messages about a field, in the wording of the Kubernetes API: "path: Invalid value: 3: why".
namespace berth::config {

using Messages = std::vector<std::string>;

std::string Quoted(std::string_view text);
std::string Invalid(std::string_view path, int64_t value, std::string_view why);
std::string Invalid(std::string_view path, std::string_view value, std::string_view why);  // quotes the value
std::string InvalidRaw(std::string_view path, std::string_view value, std::string_view why);
std::string Required(std::string_view path, std::string_view why = {});
std::string Duplicate(std::string_view path, std::string_view value);
std::string Forbidden(std::string_view path, std::string_view why);
std::string Unsupported(std::string_view path, std::string_view value, const std::vector<std::string>& supported);

std::string Child(std::string_view path, std::string_view field);  // "path.field"; "field" when path is empty
std::string Index(std::string_view path, size_t index);            // "path[3]"

// Joined as upstream prints them: a single message as is, several in brackets.
std::string Joined(const Messages& messages);

}  // namespace berth::config
