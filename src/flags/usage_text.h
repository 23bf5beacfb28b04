// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flags/flag_set.h"

#include <cstddef>
#include <string>

namespace berth::flags {

// All flags by section, laid out as Kubernetes' programs do: on a terminal with so many columns each text stands below
// the name of its flag, wrapped; without one (0) to its right, on one line.
std::string UsageText(const FlagSet& flags, size_t columns);

}  // namespace berth::flags
