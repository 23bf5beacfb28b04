// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace berth::remote {

// Keeps calls from a plugin that fails again and again: after three failures in a row none is made for a second, then
// one on trial; when that fails too, the time doubles, up to half a minute. Whoever owns it sees to the locking.
class Breaker {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  static constexpr int kFailures = 3;
  static constexpr std::chrono::seconds kShortest{1};
  static constexpr std::chrono::seconds kLongest{30};

  bool Allows(Moment now) const { return !is_open() || now >= until_; }
  // A call is made. When it is one on trial, no other is until it has ended.
  void Begins(Moment now) {
    if (is_open()) until_ = now + pause_;
  }
  void Succeeded() { *this = {}; }
  void Failed(Moment now) {
    if (++failures_ < kFailures) return;
    until_ = now + pause_;
    pause_ = std::min<std::chrono::seconds>(2 * pause_, kLongest);
  }
  bool is_open() const { return failures_ >= kFailures; }
  int failures() const { return failures_; }

 private:
  int failures_ = 0;
  Moment until_;
  std::chrono::seconds pause_ = kShortest;
};

}  // namespace berth::remote
