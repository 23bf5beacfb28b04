// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::net {

struct SocketAddress {
  std::string ip = {};  // without brackets
  uint16_t port = 0;

  bool operator==(const SocketAddress&) const = default;
};

// A descriptor that whoever is given this owns.
struct ConnectedSocket {
  int descriptor = -1;
  bool ipv6 = false;
};

// Connects to one of several addresses: each is tried a moment after the one before, or as soon as that has failed, and
// all go on side by side until one answers (RFC 8305). So a machine that is gone without a word, or a family of
// addresses that leads nowhere, delays nobody for long. On the loop, which outlives this.
class ConnectRace {
 public:
  // Never called inside the constructor. The error is that of the first address that failed.
  using Done = std::function<void(Result<ConnectedSocket>)>;
  ConnectRace(Loop& loop, const std::vector<SocketAddress>& addresses, Done done);
  ~ConnectRace();  // nothing is told any more
  ConnectRace(const ConnectRace&) = delete;
  ConnectRace& operator=(const ConnectRace&) = delete;

 private:
  class State;  // lives until the library has let go of it
  std::shared_ptr<State> state_;
};

}  // namespace berth::net
