// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/convert/era.h"

#include <string>
#include <vector>

namespace berth::config {

// v1alpha1 is one profile spread over the top level: gathers it under `profiles`. Returns the score plugin for node
// usage that ran by default; empty when a policy settled that.
std::string GatherProfile(api::Value& root, std::vector<std::string>& notes, api::DecodeErrors& errors);

// Drops or moves top-level fields that v1 no longer has.
void UpdateTopLevel(api::Value& root, std::vector<std::string>& notes);

}  // namespace berth::config
