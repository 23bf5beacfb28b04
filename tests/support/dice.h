// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/dice.h"

namespace berth::test {

using conformance::Dice;

}  // namespace berth::test
