// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/types.h"
#include "framework/registry.h"

namespace berth::config {

// Reads a v1 document strictly: unknown fields, wrong types and arguments of another kind are all noted in `errors`.
// apiVersion and kind must have been checked. Nothing is defaulted but the name of an only profile.
// Arguments are read by the types that plugins have for them in the registry, over defaults that follow the gates;
// the gates become the configuration's.
SchedulerConfiguration DecodeConfiguration(const api::Value& root, const framework::Registry& registry,
                                           const features::FeatureGates& gates, api::DecodeErrors& errors);

}  // namespace berth::config
