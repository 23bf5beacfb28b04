// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/value.h"
#include "framework/pod_info.h"
#include "queue/queue_profile.h"

#include <span>

namespace berth::conformance {

// What a change means to waiting pods, by their keys and in the shape of EvaluateHints; either object may be null. A
// hint that says it hangs on a pod's template is asked about the first pod of each template only.
api::Value EvaluateHintsByTemplate(const queue::QueueProfile& profile,
                                   std::span<const framework::PodInfoPtr> waiting, const api::Object* before,
                                   const api::Object* after);

}  // namespace berth::conformance
