// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "config/types.h"

namespace berth::config {

// A configuration as a v1 document: decoding the result gives the configuration back.
api::Value EncodeConfiguration(const SchedulerConfiguration& config);

api::Value EncodeSet(const PluginSet& set);

}  // namespace berth::config
