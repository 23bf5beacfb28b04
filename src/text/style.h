// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/painter.h"

#include <cstddef>

namespace berth::text {

// How output looks on a terminal.
struct Style {
  Painter paint;
  size_t width = 100;
  bool wide = false;  // show everything, not only what matters most
};

}  // namespace berth::text
