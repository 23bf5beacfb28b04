// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/loop.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace berth::net {

// Hears of one socket, on the loop and never inside a call of the socket. Whatever it is told, it may close the socket
// or destroy it.
class TcpSocketEvents {
 public:
  virtual void SocketConnected() = 0;
  // Valid during the call. Nothing more is read until it returns.
  virtual void SocketReceived(std::string_view bytes) = 0;
  virtual void SocketWrote() = 0;
  // Nothing comes after this: connecting or reading failed, or the other side has closed.
  virtual void SocketFailed(const std::string& why) = 0;

 protected:
  ~TcpSocketEvents() = default;
};

// A TCP connection that this side opens. On the loop.
class TcpSocket {
 public:
  // Both outlive this.
  TcpSocket(Loop& loop, TcpSocketEvents& events);
  ~TcpSocket();  // closes
  TcpSocket(const TcpSocket&) = delete;
  TcpSocket& operator=(const TcpSocket&) = delete;

  // Resolves the name and tries its addresses in order, then reads until the socket is closed.
  void Connect(const std::string& host, uint16_t port);
  // One write at a time: the next after SocketWrote. What the system takes at once has been sent when this returns.
  void Write(std::string bytes);
  // Nothing is told any more.
  void Close();

 private:
  class State;  // lives until the library has let go of it
  std::shared_ptr<State> state_;
};

}  // namespace berth::net
