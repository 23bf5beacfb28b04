// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <chrono>

namespace berth::net {

// Tells whether pieces arrive so fast that waiting for several at a time is worth it: a piece that comes alone costs
// many times what it costs among others. One thread.
class ReadPace {
 public:
  static constexpr Duration kPause = std::chrono::milliseconds(5);

  // A piece has arrived; `now` is of a clock that never goes back.
  bool IsBusy(Duration now) {
    if (now - began_ >= kWindow) {
      busy_ = reads_ >= (busy_ ? kStaysBusy : kBecomesBusy) && now - began_ < 2 * kWindow;
      began_ = now;
      reads_ = 0;
    }
    ++reads_;
    return busy_;
  }

 private:
  static constexpr Duration kWindow = std::chrono::milliseconds(50);
  static constexpr int kBecomesBusy = 25;
  static constexpr int kStaysBusy = 5;  // of the ten reads at most that pauses leave room for

  Duration began_ = {};
  int reads_ = 0;
  bool busy_ = false;
};

}  // namespace berth::net
