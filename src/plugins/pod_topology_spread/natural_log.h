// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace berth::plugins::spread {

// The natural logarithm of a positive normal number, to the last bit as upstream's runtime has it: weights made from it
// are rounded to integer scores, and the C library's differs in the last bit now and then.
double NaturalLog(double x);

}  // namespace berth::plugins::spread
