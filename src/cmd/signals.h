// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace berth::cmd {

// The signals that a process which serves others answers: SIGTERM, SIGINT and SIGUSR2. They are blocked in every thread
// and waited for in one, so this is made before there is any other thread.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // From now on the next request to end does so at once: whoever asks twice does not want to wait.
  void EndAtNext() const;
  // The next signal; nothing when none comes within the time.
  std::optional<int> Wait(std::chrono::milliseconds patience) const;

 private:
  sigset_t set_ = {};
  sigset_t before_ = {};
};

}  // namespace berth::cmd
