// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/value.h"
#include "framework/pod_info.h"
#include "queue/queue_profile.h"

#include <span>

namespace berth::conformance {

// What a change means for pending pods: the pods' namespace/name keys, each with the result of EvaluateHints; either
// object may be null. Calls hints as the queue does: a hint with HintKeys only for pods that need what the change
// offers, and a hint by template only for the first pod of each template.
api::Value EvaluateHintsAsQueue(const queue::QueueProfile& profile, std::span<const framework::PodInfoPtr> waiting,
                                const api::Object* before, const api::Object* after);

}  // namespace berth::conformance
