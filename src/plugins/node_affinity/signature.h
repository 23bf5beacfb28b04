// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/extension_points/sign.h"

namespace berth::plugins {

// The pod's node selector and node affinity as text.
framework::Signature SignNodeAffinity(const api::PodSpec& spec);

}  // namespace berth::plugins
