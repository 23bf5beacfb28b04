// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/loop.h"

#include <functional>
#include <memory>

namespace berth::net {

// Tells when a connected socket can be read or written; doing so is up to the owner. On the loop.
class WatchedSocket {
 public:
  // Takes the descriptor over, which blocks nobody from now on. Both are called on the loop, once for each time that
  // they are asked for.
  WatchedSocket(Loop& loop, int descriptor, std::function<void()> readable, std::function<void()> writable);
  ~WatchedSocket();  // closes it; nothing is told any more
  WatchedSocket(const WatchedSocket&) = delete;
  WatchedSocket& operator=(const WatchedSocket&) = delete;

  // Does not change.
  int descriptor() const;
  void AwaitReadable();
  void AwaitWritable();

 private:
  class State;  // lives until the library has let go of it
  std::shared_ptr<State> state_;
};

}  // namespace berth::net
