// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

// What is wrong with a "qualified name" (a label key: "name" or "dns.prefix/name"), in the API's words.
std::vector<std::string> QualifiedNameProblems(std::string_view name);

// Whether the name may stand for a resource outside Kubernetes' own: it has a domain that is not kubernetes.io.
bool IsExtendedResourceName(std::string_view name);

}  // namespace berth::config
