// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/value.h"
#include "framework/pod_info.h"
#include "queue/queue_profile.h"

namespace berth::conformance {

// What a change of an object means for a pending pod, in the form of a golden hint case: the labels of its `events`,
// sorted, and for each plugin registered for one of them whether it would wake the pod if it had rejected it. Either
// object may be null.
api::Value EvaluateHints(const queue::QueueProfile& profile, const framework::PodInfo& pod, const api::Object* before,
                         const api::Object* after);

}  // namespace berth::conformance
