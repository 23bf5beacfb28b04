// SPDX-License-Identifier: Apache-2.0
#include "kube/client/rate_limiter.h"

#include <algorithm>

namespace berth::kube {

RateLimiter::RateLimiter(double qps, int burst)
    : qps_(qps), burst_(std::max(1, burst)), tokens_(static_cast<double>(std::max(1, burst))) {}

Duration RateLimiter::Take(Duration now) {
  if (qps_ <= 0) return {};
  const std::chrono::duration<double> passed = now - last_;
  last_ = now;
  tokens_ = std::min(burst_, tokens_ + passed.count() * qps_) - 1;
  if (tokens_ >= 0) return {};
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(-tokens_ / qps_));
}

}  // namespace berth::kube
