// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"

#include <string>
#include <vector>

namespace berth::explain {

// The smallest changes that would let the pod be placed: one sentence each, most useful first. Only nodes rejected by a
// single plugin are considered; this is sound because every Filter was run on its own.
std::vector<std::string> AdviceFor(const Explanation& explanation);

}  // namespace berth::explain
