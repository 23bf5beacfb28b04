// SPDX-License-Identifier: Apache-2.0
#include "kube/client/rate_limiter.h"

#include <algorithm>

namespace berth::kube {

RateLimiter::RateLimiter(double qps, int burst)
    : qps_(qps), burst_(std::max(1, burst)), tokens_(static_cast<double>(std::max(1, burst))) {}

std::optional<Duration> RateLimiter::TakeWithin(Duration now, Duration longest) {
  if (qps_ <= 0) return Duration();
  const std::chrono::duration<double> passed = now - last_;
  last_ = now;
  tokens_ = std::min(burst_, tokens_ + passed.count() * qps_);
  const std::chrono::duration<double> missing(std::max(0.0, 1 - tokens_) / qps_);
  const Duration wait = std::chrono::duration_cast<Duration>(missing);
  if (wait > longest) return std::nullopt;
  tokens_ -= 1;
  return wait;
}

}  // namespace berth::kube
