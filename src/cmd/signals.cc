// SPDX-License-Identifier: Apache-2.0
#include "cmd/signals.h"

#include "cmd/streams.h"

#include <cstdlib>

namespace berth::cmd {

Signals::Signals() {
  sigemptyset(&set_);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR2}) sigaddset(&set_, signal);
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
  for (const int signal : {SIGPIPE, SIGUSR1}) std::signal(signal, SIG_IGN);  // as Go programs do
}

Signals::~Signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void Signals::EndAtNext() const {
  sigset_t asking = {};
  sigemptyset(&asking);
  for (const int signal : {SIGTERM, SIGINT}) {
    sigaddset(&asking, signal);
    std::signal(signal, [](int) { std::_Exit(kExitFailed); });
  }
  pthread_sigmask(SIG_UNBLOCK, &asking, nullptr);  // SIGUSR2, which nobody answers any more, stays blocked
}

std::optional<int> Signals::Wait(std::chrono::milliseconds patience) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience);
  const timespec time = {seconds.count(), std::chrono::nanoseconds(patience - seconds).count()};
  const int signal = sigtimedwait(&set_, nullptr, &time);
  return signal < 0 ? std::nullopt : std::optional<int>(signal);
}

}  // namespace berth::cmd
