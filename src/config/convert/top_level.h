// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/convert/era.h"

#include <string>
#include <vector>

namespace berth::config {

// v1alpha1 has a single profile whose fields are at the top level: moves them under `profiles`. Returns the score
// plugin for resource usage that runs by default; empty when a policy decides that.
std::string GatherProfile(api::Value& root, std::vector<std::string>& notes, api::DecodeErrors& errors);

// Removes or moves top-level fields that v1 no longer has.
void UpdateTopLevel(api::Value& root, std::vector<std::string>& notes);

}  // namespace berth::config
