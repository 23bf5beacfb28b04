// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "kube/client/api_client.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace berth::kube {

// How a watch ended, or was refused.
struct WatchEnd {
  bool listing = false;  // it was to begin with a list, which is not complete
  ApiError error = {};  // its status is HTTP's, or that of an error event; 0: the network's; empty: the server ended it
  std::optional<Duration> retry_after = {};
  bool told = false;       // it has told something
  Duration served = {};    // since the server has accepted it; zero if it never did
  int failures_there = 0;  // of the server at watches from this version, this one included
};

enum class NextStep : uint8_t {
  GoOn,               // at once, where it was
  RetryLater,         // the same after a pause that grows, at least as long as the server asks for
  ListSoon,           // everything anew, after a short pause: the server is well and has only forgotten
  ListLater,          // everything anew, after a pause as in RetryLater
  ListInPages,        // at once; the next list is asked for as a watch again
  ListInPagesAlways,  // at once; the server does not know how to begin a watch with a list
};

// A watch that lasted this long has served, even if it told nothing.
constexpr Duration kServed = std::chrono::seconds(5);
// So often a server may fail to go on from a version before it is given up.
constexpr int kMostFailuresThere = 5;

NextStep AfterWatch(const WatchEnd& end);
// The server says that it does not know a version any more.
bool IsExpired(const ApiError& error);

}  // namespace berth::kube
