// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/natural_log.h"

#include <cmath>

namespace berth::plugins::spread {

// x = 2^k * (1 + f) with 1 + f in [√½, √2); then log(1 + f) = log(1 + s) - log(1 - s) with s = f / (2 + f), by a
// polynomial in s². The coefficients and the order of operations are those of the classic fdlibm routine, which decides
// the last bit; the build forbids fused multiply-add for the same reason.
double NaturalLog(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kSqrtHalf = 7.07106781186547524401e-01;

  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < kSqrtHalf) {
    fraction *= 2;
    --exponent;
  }
  const double f = fraction - 1;
  const double k = exponent;

  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd =
      s2 * (6.666666666666735130e-01 +
            s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)));
  const double even = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
  const double half_square = 0.5 * f * f;
  return k * kLn2High - ((half_square - (s * (half_square + (odd + even)) + k * kLn2Low)) - f);
}

}  // namespace berth::plugins::spread
