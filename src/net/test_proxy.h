// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <thread>

namespace berth::net {

// An HTTP proxy on loopback that serves one CONNECT, on a thread of its own.
class TestProxy {
 public:
  // Grants the tunnel to the port `target` if the request has the authorization, otherwise answers 407.
  TestProxy(uint16_t target, std::string authorization);
  ~TestProxy();  // when the tunnel is closed
  TestProxy(const TestProxy&) = delete;
  TestProxy& operator=(const TestProxy&) = delete;

  uint16_t port() const { return port_; }
  // What it was asked; when it is done.
  const std::string& WaitForRequest();

 private:
  void Serve();

  const uint16_t target_;
  const std::string authorization_;
  int listener_;
  uint16_t port_ = 0;
  std::string request_;
  std::thread thread_;
};

}  // namespace berth::net
