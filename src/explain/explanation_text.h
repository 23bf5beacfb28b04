// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"
#include "explain/painter.h"

#include <string>

namespace berth::explain {

struct TextStyle {
  Painter paint;
  size_t width = 100;
  bool wide = false;  // every node instead of the nearest and best few
};

// The answer on one screen.
std::string ExplanationText(const Explanation& explanation, const TextStyle& style);

// The answer for one node of the cluster: everything that speaks against it, or how it compares with the best.
std::string NodeAnswerText(const Explanation& explanation, const std::string& node, const TextStyle& style);

}  // namespace berth::explain
