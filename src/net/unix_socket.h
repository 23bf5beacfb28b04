// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/loop.h"

#include <functional>
#include <memory>
#include <string>

namespace berth::net {

// Connects at once or not at all. The caller owns the descriptor.
Result<int> ConnectUnix(const std::string& path);

// Waits for connections at a path of the file system. On the loop, but for construction.
class UnixListener {
 public:
  // Bound and listening; only this user may connect. A socket that nobody listens to any more is replaced, any other
  // file is an error. The loop outlives this.
  static Result<std::unique_ptr<UnixListener>> Make(Loop& loop, const std::string& path);
  ~UnixListener();
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  const std::string& path() const;
  // Whoever is called owns the descriptor. Connections made before are waiting already.
  void Start(std::function<void(int descriptor)> accept);
  // Nobody can connect any more; the file is removed, unless another has taken its place.
  void Close();

 private:
  class State;  // lives until the library has let go of it
  explicit UnixListener(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace berth::net
