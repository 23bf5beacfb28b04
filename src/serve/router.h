// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/server_message.h"
#include "serve/user.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::serve {

// A request that may be answered: its sender is known, and allowed to make it.
struct Call {
  net::ServerRequest request = {};
  User user = {};
};

// Sends the answer, once. Any thread, also when the server has gone. A call whose reply is dropped fails with 500.
using Reply = std::function<void(net::ServerResponse)>;

// Answers a call, at once or later. On the serving thread, which answers probes as well: what takes long goes
// elsewhere.
using CallHandler = std::function<void(Call, Reply)>;

struct Route {
  std::string path = {};  // "/metrics"; one that ends in a slash stands for all below it, too
  // What is asked of the authorizer; empty: the request's method in lower case.
  std::string verb = {};
  std::vector<std::string> methods = {};  // others are answered with 405; empty: all are fine
  bool listed = false;                    // among the paths that /statusz shows
  CallHandler handler = {};
};

// Finds who answers a path: the route of just that path, or else the one of the longest folder. Filled before it is
// used; then any thread.
class Router {
 public:
  // Paths are added once.
  void Add(Route route);
  // Null: nobody answers.
  const Route* Find(std::string_view path) const;
  // Alphabetical.
  std::vector<std::string> Listed() const;

 private:
  std::map<std::string, Route, std::less<>> routes_;
};

}  // namespace berth::serve
