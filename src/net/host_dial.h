// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/connect_race.h"
#include "net/loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace berth::net {

// Connects to a port of a host, which is an address or a name that is looked up first. On the loop, which outlives
// this.
class HostDial {
 public:
  // Never called inside the constructor; it may destroy this.
  using Done = std::function<void(Result<ConnectedSocket>)>;
  HostDial(Loop& loop, const std::string& host, uint16_t port, Done done);
  ~HostDial();  // nothing is told any more
  HostDial(const HostDial&) = delete;
  HostDial& operator=(const HostDial&) = delete;

 private:
  class State;  // lives until the library has let go of it
  std::shared_ptr<State> state_;
};

}  // namespace berth::net
