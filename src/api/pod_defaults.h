// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"

namespace berth::api {

// Fills in what the API server would: requests from limits, pod-level requests and huge page limits from those of the
// containers, host ports of pods on the host's network.
void ApplyPodDefaults(PodSpec& spec);

}  // namespace berth::api
