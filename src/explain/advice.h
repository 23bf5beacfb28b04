// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"

#include <string>
#include <vector>

namespace berth::explain {

// The smallest changes that would let the pod be placed: one sentence each, the most useful first. A plugin that is a
// node's only objector is enough to name one, because every Filter was judged alone.
std::vector<std::string> AdviceFor(const Explanation& explanation);

}  // namespace berth::explain
