// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace berth::net {

// An event loop: sockets, timers and calls from other threads, all served by whichever thread runs it. One thread at a
// time.
class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Serves until Stop.
  void Run();
  // Ends Run, also a Run that has not begun: a loop that was stopped is not run again. Any thread.
  void Stop();

  // Calls back on the loop. Any thread.
  void Post(std::function<void()> call);

  // The time that timers count: it never goes back, and means nothing outside this process. Any thread.
  Duration Now() const;

  using TimerId = uint64_t;  // never 0
  // Calls back after the time. On the loop.
  TimerId After(Duration delay, std::function<void()> call);
  // Has no effect on a timer that has gone off. On the loop.
  void Cancel(TimerId timer);

  class Impl;  // the library's loop, for the files of this folder
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::net
