// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <optional>

namespace berth::kube {

// A bucket of tokens that is refilled at a steady rate, as client-go limits requests: `burst` may be taken at once,
// then `qps` a second. A negative qps means no limit. Time is handed in and never goes back. One thread.
class RateLimiter {
 public:
  RateLimiter(double qps, int burst);

  // Takes a token, perhaps one of the future: how long to wait before it may be used.
  Duration Take(Duration now) { return *TakeWithin(now, Duration::max()); }
  // Takes none when the wait would be longer than that.
  std::optional<Duration> TakeWithin(Duration now, Duration longest);

 private:
  const double qps_;
  const double burst_;
  double tokens_;
  Duration last_{};
};

}  // namespace berth::kube
