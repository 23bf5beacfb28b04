// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "net/loop.h"
#include "net/tcp_listener.h"

#include <cstdint>
#include <functional>
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
  // The other side will send nothing more; SocketFailed follows.
  virtual void SocketEnded() {}
  // Nothing comes after this: connecting or reading failed, or the other side has closed.
  virtual void SocketFailed(const std::string& why) = 0;

 protected:
  ~TcpSocketEvents() = default;
};

struct TcpSocketOptions {
  // The connection fails when written bytes are not acknowledged for this long, also while this process stands still,
  // and when the system does not take the bytes of one write for this long. Zero: no limit.
  Duration stall_limit = {};
  // Measures the latter. Null: the system's, which goes on while the machine sleeps.
  const Clock* clock = nullptr;
  // Asked immediately before every system call that writes: false fails the connection, and nothing more is written.
  // Empty: always.
  std::function<bool()> may_write = {};
  // While pieces arrive in quick succession, read only every few milliseconds: then one wake-up serves many of them.
  bool moderate_reads = false;
};

// A TCP connection. On the loop.
class TcpSocket {
 public:
  // Both outlive this.
  TcpSocket(Loop& loop, TcpSocketEvents& events, const TcpSocketOptions& options = {});
  // One that the other side has opened: it is read until it is closed.
  TcpSocket(Loop& loop, TcpSocketEvents& events, AcceptedSocket accepted);
  ~TcpSocket();  // closes
  TcpSocket(const TcpSocket&) = delete;
  TcpSocket& operator=(const TcpSocket&) = delete;

  // Resolves the name and connects to whichever of its addresses answers, then reads until the socket is closed.
  void Connect(const std::string& host, uint16_t port);
  // One write at a time: the next after SocketWrote. What the system takes at once has been sent when this returns.
  void Write(std::string bytes);
  // Nothing will be written any more: the other side is told.
  void EndWriting();
  // Nothing is told any more.
  void Close();

 private:
  class State;  // lives until the library has let go of it
  std::shared_ptr<State> state_;
};

}  // namespace berth::net
