// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

// Returns whether this is a configuration that kube-scheduler once accepted but v1.36 does not: v1alpha1 to v1beta3, or
// a Policy.
bool IsOlderVersion(std::string_view api_version, std::string_view kind);

// An older configuration converted to an equivalent v1 document.
struct Converted {
  api::Value document;
  std::vector<std::string> notes;  // what was dropped, or means something else now
};

// Fields that the older version did not have either are kept, so that decoding the result reports them; what cannot be
// expressed at all is added to `errors`.
Converted ConvertToV1(const api::Value& root, api::DecodeErrors& errors);

}  // namespace berth::config
