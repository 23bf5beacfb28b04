// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

// Whether this is a configuration that kube-scheduler read once and v1.36 does not: v1alpha1 to v1beta3, or a Policy.
bool IsOlderVersion(std::string_view api_version, std::string_view kind);

// An older configuration as a v1 document of the same meaning.
struct Converted {
  api::Value document;
  std::vector<std::string> notes;  // what was dropped, or means something else now
};

// Fields that the older version did not have either are carried over, so that reading the result names them; what
// cannot be expressed at all is noted in `errors`.
Converted ConvertToV1(const api::Value& root, api::DecodeErrors& errors);

}  // namespace berth::config
