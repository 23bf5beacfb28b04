// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "framework/pod_info.h"
#include "runtime/profile.h"

namespace berth::conformance {

// Judges one pod as Evaluate does, and what Decide makes of it, without either: asks every plugin about every node by
// itself and puts the answers together by upstream's rules as they are told, not as the runtime implements them. The
// profile's plugins have their plain forms only.
api::Value EvaluateNaively(runtime::Profile& profile, const framework::PodInfo& pod);

}  // namespace berth::conformance
