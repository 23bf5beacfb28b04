// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extension_points/describe_rejection.h"

#include <string>

namespace berth::explain {

// What stands between a pod and a node in words, with the values that were compared: "taint gpu=true:NoSchedule",
// "needs pool=gpu, has pool=web".
std::string LackText(const framework::Lack& lack);

// The change without the nodes it is good for: "tolerate gpu=true:NoSchedule", "uncordon".
std::string RemedyText(const framework::Remedy& remedy);

}  // namespace berth::explain
