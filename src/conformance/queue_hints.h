// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/value.h"
#include "framework/pod_info.h"
#include "queue/queue_profile.h"

#include <span>

namespace berth::conformance {

// What a change means to waiting pods, by their keys and in the shape of EvaluateHints; either object may be null.
// Asks as the queue does: a hint with keys only about pods that need what the change offers, and one that says it hangs
// on a pod's template about the first pod of each template only.
api::Value EvaluateHintsAsQueue(const queue::QueueProfile& profile, std::span<const framework::PodInfoPtr> waiting,
                                const api::Object* before, const api::Object* after);

}  // namespace berth::conformance
