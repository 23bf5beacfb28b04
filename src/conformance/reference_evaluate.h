// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "framework/pod_info.h"
#include "runtime/profile.h"

namespace berth::conformance {

// An independent version of Evaluate, including Decide's result: calls every plugin on every node and combines the
// answers by upstream's documented rules, without the runtime's implementation of them. The profile's plugins must have
// their plain forms only.
api::Value EvaluateNaively(runtime::Profile& profile, const framework::PodInfo& pod);

}  // namespace berth::conformance
