// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "api/resources.h"

namespace berth::framework {

// The most a pod may use by its spec, over all phases of its life. A resource that some container does not limit is
// counted by the containers that do. Decisions do not depend on limits.
api::ResourceList PodLimits(const api::Pod& pod);

}  // namespace berth::framework
