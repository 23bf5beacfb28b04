// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/types.h"
#include "framework/registry.h"

namespace berth::config {

// Decodes a v1 document strictly: unknown fields, wrong types and arguments of another kind are all added to `errors`.
// apiVersion and kind must have been checked. Nothing is defaulted except the name of a single profile. Arguments are
// decoded into the types registered for them, over defaults that depend on the gates. The result contains the gates.
SchedulerConfiguration DecodeConfiguration(const api::Value& root, const framework::Registry& registry,
                                           const features::FeatureGates& gates, api::DecodeErrors& errors);

}  // namespace berth::config
