// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace berth::net {

// A connection that someone has opened to us, until a `TcpSocket` takes it over.
class AcceptedSocket {
 public:
  // Takes the descriptor over.
  AcceptedSocket(int descriptor, bool ipv6, std::string remote, std::string local_address);
  ~AcceptedSocket();  // closes what was not taken over
  AcceptedSocket(AcceptedSocket&& other) noexcept;
  AcceptedSocket& operator=(AcceptedSocket&&) = delete;

  int Release();
  bool ipv6() const { return ipv6_; }
  const std::string& remote() const { return remote_; }                // "10.0.0.7:4312"
  const std::string& local_address() const { return local_address_; }  // "10.0.0.1"

 private:
  int descriptor_;
  bool ipv6_;
  std::string remote_;
  std::string local_address_;
};

struct ListenOptions {
  std::string address = "0.0.0.0";  // an unspecified one stands for all addresses of both families
  uint16_t port = 0;                // 0: any
  bool share_port = false;          // with other processes that allow it too (SO_REUSEPORT)
};

// Waits for connections. On the loop, but for construction.
class TcpListener {
 public:
  // Bound and listening. The loop outlives this.
  static Result<std::unique_ptr<TcpListener>> Make(Loop& loop, const ListenOptions& options);
  ~TcpListener();
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;

  uint16_t port() const;
  // Connections made before are waiting already.
  void Start(std::function<void(AcceptedSocket)> accept);
  // Nobody can connect any more.
  void Close();

 private:
  class State;  // lives until the library has let go of it
  explicit TcpListener(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace berth::net
