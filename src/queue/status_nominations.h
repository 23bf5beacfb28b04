// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/nominator.h"
#include "framework/pod_info.h"

namespace berth::queue {

// Nominates the pod for the node its status names, and for no other.
void NominateByStatus(framework::Nominator& nominator, const framework::PodInfoPtr& pod);

// What an update of a pod means for its nomination. A promise that the objects do not show yet is kept; otherwise the
// newer object tells.
void UpdateNomination(framework::Nominator& nominator, const api::Pod& before, const framework::PodInfoPtr& after);

}  // namespace berth::queue
