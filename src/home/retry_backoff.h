// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/rng.h"

#include <algorithm>
#include <cstdint>

namespace berth::home {

// How long to pause after failures: each pause is twice the one before, up to a limit, and up to as long again by
// jitter, so that clients that failed together do not return together. It begins anew after a success, or after a while
// without failures. The figures are those of client-go's reflector. One thread.
class RetryBackoff {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(800);
  static constexpr Duration kLongest = std::chrono::seconds(30);
  static constexpr Duration kForget = std::chrono::minutes(2);

  explicit RetryBackoff(uint64_t seed, Duration first = kFirst) : rng_(seed), first_(first) {}

  // A failure now: how long to pause.
  Duration NextPause(Timestamp now) {
    if (failures_ != 0 && now - last_ > kForget + pause_) failures_ = 0;
    last_ = now;
    const Duration base = std::min(kLongest, first_ * (int64_t{1} << std::min(failures_, 16)));
    ++failures_;
    pause_ = base + Duration(static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(base.count()))));
    return pause_;
  }
  void Succeeded() { failures_ = 0; }
  // The longest pause there can be: a moment further ahead was set before the clock was set back.
  static constexpr Duration Limit() { return 2 * kLongest; }

 private:
  Rng rng_;
  Duration first_;
  Timestamp last_{};  // of the last failure
  Duration pause_{};
  int failures_ = 0;
};

}  // namespace berth::home
