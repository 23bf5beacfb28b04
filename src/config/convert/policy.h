// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/convert/convert.h"

#include <string>
#include <vector>

namespace berth::config {

// Converts a Policy (predicates, priorities, extenders) to a v1 configuration with one profile.
Converted ConvertPolicy(const api::Value& policy, api::DecodeErrors& errors);

// Reads the policy file that a v1alpha1 configuration refers to and merges it into `profile` and `root`.
void ApplyReferredPolicy(const api::Value& reference, api::Value& profile, api::Value& root,
                         std::vector<std::string>& notes, api::DecodeErrors& errors);

}  // namespace berth::config
