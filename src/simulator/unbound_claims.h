// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/lister.h"

#include <string>
#include <vector>

namespace berth::simulator {

// The names of the pod's claims that a volume controller binds before any scheduler sees the pod through: unbound, and
// not of a class that waits for the pod.
std::vector<std::string> UnboundImmediateClaims(const api::Pod& pod, const framework::Lister& lister);

}  // namespace berth::simulator
