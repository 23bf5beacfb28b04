// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/pod.h"
#include "framework/lister.h"

namespace berth::plugins::spread {

// Selects the pod's siblings: what all services that select the pod ask for, and what its controller
// (ReplicationController, ReplicaSet or StatefulSet) asks for. Selects everything when there are none.
api::Selector DefaultSelector(const api::Pod& pod, const framework::Lister& lister);

}  // namespace berth::plugins::spread
