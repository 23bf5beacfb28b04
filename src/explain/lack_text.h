// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extension_points/describe_rejection.h"

#include <string>

namespace berth::explain {

// Why a node does not fit a pod, in words, with the values that were compared: "taint gpu=true:NoSchedule", "needs
// pool=gpu, has pool=web".
std::string LackText(const framework::Lack& lack);

// The change alone, without the nodes it applies to: "tolerate gpu=true:NoSchedule", "uncordon".
std::string RemedyText(const framework::Remedy& remedy);

}  // namespace berth::explain
