// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

// What is wrong with a "qualified name" (a label key: "name" or "dns.prefix/name"), in the API's wording.
std::vector<std::string> QualifiedNameProblems(std::string_view name);

// Returns whether this is the name of an extended resource: it has a domain other than kubernetes.io.
bool IsExtendedResourceName(std::string_view name);

}  // namespace berth::config
