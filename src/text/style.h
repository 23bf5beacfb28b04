// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/painter.h"

#include <cstddef>

namespace berth::text {

// How an answer is to look on a terminal.
struct Style {
  Painter paint;
  size_t width = 100;
  bool wide = false;  // with everything there is to tell, instead of what matters most
};

}  // namespace berth::text
