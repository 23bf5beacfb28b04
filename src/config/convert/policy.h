// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/convert/convert.h"

#include <string>
#include <vector>

namespace berth::config {

// A Policy (predicates, priorities, extenders) as a v1 configuration of one profile.
Converted ConvertPolicy(const api::Value& policy, api::DecodeErrors& errors);

// The policy that a v1alpha1 configuration refers to: read from its file and worked into `profile` and `root`.
void ApplyReferredPolicy(const api::Value& reference, api::Value& profile, api::Value& root,
                         std::vector<std::string>& notes, api::DecodeErrors& errors);

}  // namespace berth::config
