// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/status.h"

#include <string>
#include <string_view>

namespace berth::runtime {

// How a step from Reserve to Bind ends when a plugin fails. A rejection stays one, by the plugin that gave it; anything
// else becomes an error that names the step.
framework::Status StepFailure(std::string_view step, const std::string& plugin, const framework::Status& status);

}  // namespace berth::runtime
