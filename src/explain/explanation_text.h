// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"
#include "text/style.h"

#include <string>

namespace berth::explain {

// The answer on one screen.
std::string ExplanationText(const Explanation& explanation, const text::Style& style);

// The answer for one node of the cluster: every objection to it, or how it compares with the best.
std::string NodeAnswerText(const Explanation& explanation, const std::string& node, const text::Style& style);

}  // namespace berth::explain
